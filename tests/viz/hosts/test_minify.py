"""Short names: what a variable, a property and a word of the language are."""

import re

import pytest

from viz.hosts.html import COMPARED, code_of_player, module
from viz.hosts.minify import minified
from viz.render.document import static


@pytest.mark.parametrize(
    "code, small",
    [
        ("const wide = (a, b) => { return a.b + b; }; // sum", "const e=(e,t)=>{return e.b+t};"),
        ("const f = (list) => list.map((item) => item + list.length);", "const t=e=>e.map(t=>t+e.length);"),
        (
            "const left = 2; const o = { left, right: 1, up() { return left; } };",
            "const e=2;const t={left:e,right:1,up(){return e}};",
        ),
        ("const g = ({ left, right: end = 2 }) => left + end;", "const n=({left:e,right:t=2})=>e+t;"),
        ("const h = (node) => `<${node.name} ${node}>`;", "const e=e=>`<${e.name} ${e}>`;"),
        ("const k = (x) => /[x/]x/.test(x) ? x - -1 : x / 2;", "const t=e=>/[x/]x/.test(e)?e- -1:e/2;"),
        ("""const k = ["a", "it's", 'b', `"${1}"`];""", """const e=['a',"it's",'b',`"${1}"`];"""),
        (
            "class Box { constructor(wide) { this.wide = wide; } long(by) { return this.wide * by; } } "
            "const box = new Box(2);",
            "class e{constructor(e){this.wide=e}long(e){return this.wide*e}}const t=new e(2);",
        ),
        ("const k = (x, y = x) => [x + +y, x-- - y,];", "const e=(e,t=e)=>[e+ +t,e-- -t];"),
    ],
)
def test_variables_become_short_and_nothing_else_changes(code, small):
    assert minified(code) == small


def test_an_argument_does_not_take_the_name_of_what_its_function_uses():
    code = "const a = 1; const f = (b) => { const c = b; return (d) => a + c + d; };"
    assert minified(code) == "const e=1;const t=t=>{const n=t;return t=>e+n+t};"


def test_a_constant_of_a_block_does_not_take_the_name_of_an_unused_argument():
    assert minified("function f(a, b) { const c = 1; return b + c; }") == "function e(t,e){const n=1;return e+n}"


@pytest.mark.parametrize(
    "code",
    [
        "const e=new IntersectionObserver(t=>t.at(-1));",
        "let e=1,t=[2,Foo],{n}=Bar;for(const r of Baz)e+=r+t+n;",
        "const e=t=>{try{t(Unknown)}catch(e){report(e,{Other})}};",
    ],
)
def test_names_that_the_code_does_not_declare_stay(code):
    foreign = re.findall(r"IntersectionObserver|Foo|Bar|Baz|Unknown|report|Other", code)
    assert re.findall(r"IntersectionObserver|Foo|Bar|Baz|Unknown|report|Other", minified(code)) == foreign


def test_the_code_of_the_player_has_no_comment_and_few_spaces():
    small = code_of_player(COMPARED)
    assert len(small) < 0.6 * len(module(COMPARED) + static("loose.js"))
    assert "//" not in small.replace("http://", "") and "\n" not in small
