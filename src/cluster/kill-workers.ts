import cluster from 'node:cluster'

/** Ends all workers of this process as a machine's death would; none where it has started none. */
export function killWorkers(): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
}
