/** A child sent invalid output: too long a line, too much in total, or no JSON. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

/** The largest output of a child, per line and in total. */
export interface OutputLimits {
  lineBytes: number
  bytes: number
}

const NEWLINE = 0x0a

/**
 * Reads the messages of a child, one JSON value per line. Node's IPC channel is not used, because a hostile child can make it throw in
 * the parent or fill its memory. Unread output stays in the pipe, and the child waits.
 * @throws OutputError
 */
export async function* messagesOf(
  output: AsyncIterable<Buffer>,
  { lineBytes, bytes }: OutputLimits,
): AsyncGenerator<unknown> {
  let left = bytes
  let line: Buffer[] = []
  let lineLength = 0
  for await (const chunk of output) {
    left -= chunk.length
    if (left < 0) throw new OutputError('too much output')
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield parse(Buffer.concat([...line, chunk.subarray(from, end)]))
      line = []
      lineLength = 0
      from = end + 1
    }
    line.push(chunk.subarray(from))
    lineLength += chunk.length - from
    if (lineLength > lineBytes) throw new OutputError('a line was too long')
  }
  if (lineLength > 0) throw new OutputError('the last line was cut off')
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch (cause) {
    throw new OutputError('a line was no JSON', { cause })
  }
}
