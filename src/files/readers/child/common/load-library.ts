/**
 * Loads a library that only some kinds of files need: together they take as much processor time as the start of a process. Where it
 * cannot be loaded the process exits, so that the failure counts as the server's and not as the file's.
 */
export async function loadLibrary<Module>(loading: Promise<Module>): Promise<Module> {
  try {
    return await loading
  } catch {
    process.exit(1)
  }
}
