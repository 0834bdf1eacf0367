"""Diagnostics: find the origin of a nan or inf and its repair, explain a gradient of None or 0, check gradients.

How a repair is found, in the order of reading:

    nan                 find_nan: where a nan or inf first appears in a recorded pass (origins, met_numbers), then
                        find_repair; nan_sentences: the report
    repairs             find_repair: the cause, candidates, rules, a wider dtype, conventions, edits; the whole search
    cause               the oldest op outside its domain (domains), or nonfinite data or weights (growth)
    patterns            candidates: a table of expressions that lose digits, with equivalent expressions that do not
    guards              candidates: a `where` that keeps an argument inside its domain; the limit at a hole
    repair_conventions  candidates: the usual conventions at points that have no value
    families            one candidate, applied to every run of its line, as in a loop
    repair_proof        the tests that a candidate must pass: equal at other_points, right value and slope here
    missing_limit       why no number can be given, if no candidate passes
    edits               the rewrites that passed, as edits of the user's line (user_expressions), with a framework's
                        names (edit_spelling)
    repair_report       the result in words and as HTML

Elsewhere: missing_gradient (explain_none), zero_gradient (explain_zero), gradient_check (check_gradients),
finite_differences.
"""
