/** @returns the longest time for which a server's event loop was blocked since the last call, in milliseconds */
export async function longestPause(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^postern_nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1_000
}
