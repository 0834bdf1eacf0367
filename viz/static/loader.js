// The module of a widget. The browser never frees a module, so all widgets of a page share the modules with their code.
const modules = (globalThis.minigradModules ??= {});

const load = (code) => import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));

export default {
  async render(widget) {
    const code = widget.model.get("code");
    modules[code] ??= load(code);
    return (await modules[code]).default.render(widget);
  },
};
