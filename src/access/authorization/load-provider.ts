type Module = typeof import('oidc-provider')

/** The warning of `oidc-provider` about a Node release before its LTS; Postern pins and tests its own Node. */
const ABOUT_NODE = 'oidc-provider WARNING: Unsupported runtime.'

/** Loads `oidc-provider` without its warning about the Node release; other warnings are printed. */
export async function loadProvider(): Promise<Module> {
  const printer = console
  const { warn } = printer
  const pass = (...said: unknown[]) => {
    if (!String(said[0]).includes(ABOUT_NODE)) warn.apply(printer, said)
  }
  printer.warn = pass
  try {
    return await import('oidc-provider')
  } finally {
    if (printer.warn === pass) printer.warn = warn
  }
}
