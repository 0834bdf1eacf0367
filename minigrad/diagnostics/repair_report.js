// Adds a button to each repaired line, which copies it, or selects it if the page may not copy, and shows which.
(s=>{const r=s&&s.closest(".mg-why")||document.getElementById("ID"),say=r.querySelector("[role=status]");
for(const c of r.querySelectorAll(".mg-new")){const b=document.createElement("button");
b.type="button";b.textContent="Copy";b.setAttribute("aria-label","Copy "+c.textContent);
const select=()=>{getSelection().selectAllChildren(c);say.textContent="Selected: copy it with Ctrl+C or \u2318C."};
b.onclick=()=>{say.textContent="";try{navigator.clipboard.writeText(c.textContent)
.then(()=>{say.textContent="Copied."},select)}catch{select()}};c.after(b)}})(document.currentScript)
