/** What a child said is not what it was to say: too long a line, too much in all, or no JSON. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

/** Most that a child may say in one line, and in all. */
export interface OutputLimits {
  lineBytes: number
  bytes: number
}

const NEWLINE = 0x0a

/**
 * The messages of a child, one JSON value a line. Not Node's own channel between processes, which a hostile child can make
 * throw in its parent, or hold without end. What is not taken yet stays in the pipe, and the child waits.
 * @throws OutputError
 */
export async function* messagesOf(
  output: AsyncIterable<Buffer>,
  { lineBytes, bytes }: OutputLimits,
): AsyncGenerator<unknown> {
  let left = bytes
  let begun: Buffer[] = []
  let begunBytes = 0
  for await (const chunk of output) {
    left -= chunk.length
    if (left < 0) throw new OutputError('it said too much')
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield parse(Buffer.concat([...begun, chunk.subarray(from, end)]))
      begun = []
      begunBytes = 0
      from = end + 1
    }
    begun.push(chunk.subarray(from))
    begunBytes += chunk.length - from
    if (begunBytes > lineBytes) throw new OutputError('a line was too long')
  }
  if (begunBytes > 0) throw new OutputError('the last line was cut off')
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch (cause) {
    throw new OutputError('a line was no JSON', { cause })
  }
}
