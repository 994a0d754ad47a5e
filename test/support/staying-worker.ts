/** A worker that answers and does not end on SIGTERM. */
process.on('SIGTERM', () => {})
process.send?.({ kind: 'ready', ready: { words: 'is ready', json: {} } })
