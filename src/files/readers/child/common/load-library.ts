/**
 * Loads libraries that only some kinds of files need: together they take as much of the processor as the start of a process.
 * Where one cannot be loaded, the process ends, which is not the fault of the file.
 */
export async function loadLibrary<Module>(loading: Promise<Module>): Promise<Module> {
  try {
    return await loading
  } catch {
    process.exit(1)
  }
}
