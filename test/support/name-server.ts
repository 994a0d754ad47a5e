import { createSocket } from 'node:dgram'

/** The answer of a name server for a name; for a `silent` one it does not answer. */
export type Said = 'silent' | 'failed' | { addresses?: string[]; texts?: string[]; ttl: number }

/** A real name server, on UDP. */
export interface NameServer {
  /** `address:port` */
  address: string
  /** Names as they were asked for, once for each packet, with the family, or 16 for texts. */
  asked: string[]
  stop(): Promise<void>
}

const TXT = 16
const TYPES: Record<number, number> = { 1: 4, 28: 6, [TXT]: TXT }

/** @param say undefined where there is no such name */
export async function startNameServer(
  say: (name: string, family: number) => Said | undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4')
  const server: NameServer = { address: '', asked: [], stop: () => new Promise((done) => socket.close(done)) }
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question)
    const family = TYPES[type]
    if (family === undefined) return
    server.asked.push(`${name} ${family}`)
    const said = say(name, family)
    if (said !== 'silent')
      socket.send(answerTo(question.subarray(0, end), said, family), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  server.address = `127.0.0.1:${socket.address().port}`
  return server
}

/** RFC 1035 4.1.2: labels with their lengths, then type and class. */
function readQuestion(packet: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 }
}

/** Header, the question as it came, and a record for each address of the family. */
function answerTo(question: Buffer, said: Exclude<Said, 'silent'> | undefined, family: number): Buffer {
  const head = Buffer.from(question)
  const code = said === 'failed' ? 2 : said === undefined ? 3 : 0
  const { addresses = [], texts = [], ttl = 0 } = typeof said === 'object' ? said : {}
  const records =
    family === TXT
      ? texts.map((text) => record(TXT, bytesOfText(text), ttl))
      : addresses
          .filter((address) => (address.includes(':') ? 6 : 4) === family)
          .map((address) => addressRecord(address, ttl))
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...records])
}

/** RFC 1035 4.1.3, with a pointer to the name of the question. */
function record(type: number, bytes: Buffer, ttl: number): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttl, 6)
  head.writeUInt16BE(bytes.length, 10)
  return Buffer.concat([head, bytes])
}

function addressRecord(address: string, ttl: number): Buffer {
  if (address.includes(':')) return record(28, bytesOfV6(address), ttl)
  return record(1, Buffer.from(address.split('.').map(Number)), ttl)
}

/** RFC 1035 3.3.14: strings of 255 bytes at most, each with its length. */
function bytesOfText(text: string): Buffer {
  const parts = Buffer.from(text)
    .toString('latin1')
    .match(/.{1,255}/gs) ?? ['']
  return Buffer.concat(parts.map((part) => Buffer.from(String.fromCharCode(part.length) + part, 'latin1')))
}

function bytesOfV6(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const [first, last] = [groups(before), groups(after)]
  const all = [...first, ...Array(8 - first.length - last.length).fill('0'), ...last]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
