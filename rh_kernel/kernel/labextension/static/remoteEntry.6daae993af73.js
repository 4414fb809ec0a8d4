/**
 * The entry point for JupyterLab and Notebook: a container of one module, written by hand in the form required by module
 * federation. The page's modules come from its share scope, ours from beside this file.
 */
(() => {
  const VERSION = "ec6445ff2736";

  let scope;

  /** A shared module: the loaded version, else the newest. */
  const shared = async name => {
    const versions = Object.entries(scope[name] ?? {}).sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true }));
    const found = versions.findLast(([, { loaded }]) => loaded) ?? versions.at(-1);
    if (!found) throw new Error(`The page does not share ${name}.`);
    return (await found[1].get())();
  };

  /** The plugin that registers the language with the editors. */
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

  /** The plugin that underlines diagnostics while a cell is edited. */
  const checking = async () => {
    const { INotebookTracker, NotebookActions } = await shared("@jupyterlab/notebook");
    return {
      id: "rh-lang:checking",
      description: "Marks what is wrong in a cell in the language of reverse handlers, while it is written.",
      autoStart: true,
      optional: [INotebookTracker],
      activate: async (_, tracker) => {
        if (!tracker) return;
        const [check, state, view] = await Promise.all([
          import(`./check.js?v=${VERSION}`),
          shared("@codemirror/state"),
          shared("@codemirror/view"),
        ]);
        check.watch(tracker, NotebookActions.executed, { state, view });
      },
    };
  };

  const extension = async () => {
    const plugins = await Promise.allSettled([language(), checking()]);
    for (const { reason } of plugins) if (reason) console.warn(reason);
    return { __esModule: true, default: plugins.flatMap(({ value }) => value ?? []) };
  };

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
