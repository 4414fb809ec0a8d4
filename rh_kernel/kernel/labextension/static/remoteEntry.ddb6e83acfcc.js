/**
 * What JupyterLab and Notebook load: a container of one module, written by hand in the form that module federation asks for.
 * The page's own modules come from the scope that the page shares, ours from beside this file.
 */
(() => {
  const VERSION = "2efdfd43d3c1";

  let scope;

  /** A module of the page: the version in use, else the newest. */
  const shared = async name => {
    const versions = Object.entries(scope[name] ?? {}).sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
    const found = versions.findLast(([, { loaded }]) => loaded) ?? versions.at(-1);
    if (!found) throw new Error(`The page does not share ${name}.`);
    return (await found[1].get())();
  };

  /** The plugin that makes the language known to the page's editors. */
  const language = async () => {
    const { IEditorLanguageRegistry } = await shared("@jupyterlab/codemirror");
    return {
      id: "rh-lang:language",
      description: "Colours and indentation for the language of reverse handlers.",
      autoStart: true,
      requires: [IEditorLanguageRegistry],
      activate: (_, languages) => {
        languages.addLanguage({ name: "rh", mime: "text/x-rh", extensions: ["rh"], load: () => support(languages) });
      },
    };
  };

  const support = async languages => {
    const [mode, language, state, common, highlight, python] = await Promise.all([
      import(`./mode.js?v=${VERSION}`),
      shared("@codemirror/language"),
      shared("@codemirror/state"),
      shared("@lezer/common"),
      shared("@lezer/highlight"),
      languages.getLanguage("python"),
    ]);
    return mode.support({ language, state, common, highlight }, python?.support);
  };

  const extension = async () => ({ __esModule: true, default: [await language()] });

  globalThis._JUPYTERLAB ??= {};
  globalThis._JUPYTERLAB["rh-lang"] = {
    init: shareScope => {
      scope = shareScope;
    },
    get: async () => {
      const module = await extension();
      return () => module;
    },
  };
})();
