import cluster from 'node:cluster'

/** Kills all workers of this process at once, as a loss of the machine would. */
export function killWorkers(): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
}
