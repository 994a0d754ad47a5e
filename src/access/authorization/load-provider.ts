type Module = typeof import('oidc-provider')

/** What it says on stderr as it is loaded by a Node that is not yet called LTS; Postern pins and tests its own Node. */
const ABOUT_NODE = 'oidc-provider WARNING: Unsupported runtime.'

/** Loads `oidc-provider` without its warning about the release of Node; every other warning is printed as ever. */
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
