import { createInflateRaw } from 'node:zlib'
import { SaxesParser } from 'saxes'

/** The raw limit of reading a spreadsheet: its parts are inflated and parsed, without making a text of them. */
async function parseOnly(packed: Buffer): Promise<void> {
  const parser = new SaxesParser({ position: false })
  for (const event of ['opentag', 'closetag', 'text'] as const) parser.on(event, () => {})
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const inflate = createInflateRaw({ chunkSize: 128 * 1024 })
  inflate.end(packed)
  for await (const chunk of inflate) parser.write(decoder.decode(chunk, { stream: true }))
  parser.close()
}

process.on('message', async ({ packed }: { packed: string[] }) => {
  for (const part of packed) await parseOnly(Buffer.from(part, 'base64'))
  process.send?.({ result: packed.length })
})
