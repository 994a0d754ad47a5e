import { createServer } from 'node:net'

/** Accepts every connection, reads its bytes, and never answers. Its second port tells that it listens. */
const [port, readyPort] = process.argv.slice(2).map(Number)
createServer((socket) => socket.resume().on('error', () => {})).listen({
  port,
  host: '0.0.0.0',
  backlog: 4_096,
})
createServer((socket) =>
  socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
).listen(readyPort, '127.0.0.1')
