/**
 * What only some kinds of files need is loaded when one of them is there: together it takes as much of the processor as the
 * start of a process. Where it cannot be loaded the process ends, for which nobody blames the file.
 */
export async function loaded<Module>(loading: Promise<Module>): Promise<Module> {
  try {
    return await loading
  } catch {
    process.exit(1)
  }
}
