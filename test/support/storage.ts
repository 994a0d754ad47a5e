import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

/** What the storage does with a request in place of answering it. */
type Fault = { status: number; code: string } | 'stall' | 'cut' | { cutAfter: number } | undefined

const BUCKET = 'files'

export type TestStorage = Awaited<ReturnType<typeof startStorage>>

/** A storage that speaks S3, in a folder of its own. What s3rver does not have, the list and the end of uploads, is before it. */
export async function startStorage() {
  const directory = mkdtempSync(join(tmpdir(), 'postern-s3-'))
  const configureBuckets = [{ name: BUCKET, configs: [] }]
  const options = { port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets }
  const storage = new S3rver(options)
  const { port: behind } = await storage.run()
  const uploads = join(directory, BUCKET, '._S3rver_uploads')
  let faultOf: (method: string, url: string) => Fault = () => undefined
  const requests: string[] = []

  function answer(from: IncomingMessage, to: ServerResponse): void {
    const { method = '', url = '' } = from
    requests.push(`${method} ${url}`)
    const fault = faultOf(method, url)
    if (fault === 'stall') return void from.resume()
    if (fault === 'cut') return void to.destroy()
    if (fault !== undefined && 'status' in fault) {
      from.resume()
      to.writeHead(fault.status).end(method === 'HEAD' ? '' : `<Error><Code>${fault.code}</Code></Error>`)
      return
    }
    const { pathname, searchParams } = new URL(url, 'http://storage')
    const upload = searchParams.get('uploadId') ?? ''
    if (method === 'GET' && searchParams.has('uploads')) {
      const prefix = searchParams.get('prefix') ?? ''
      const found = (existsSync(uploads) ? readdirSync(uploads) : [])
        .map((id) => ({ id, key: readFileSync(join(uploads, id, 'key'), 'utf8') }))
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ id, key }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
      to.end(`<ListMultipartUploadsResult>${found.join('')}</ListMultipartUploadsResult>`)
      return
    }
    if (method === 'DELETE' && /^[0-9a-f]+$/.test(upload) && pathname !== '/') {
      rmSync(join(uploads, upload), { recursive: true, force: true })
      to.writeHead(204).end()
      return
    }
    const onward = request(
      { host: '127.0.0.1', port: behind, method, path: url, headers: from.headers },
      (answered) => {
        to.writeHead(answered.statusCode ?? 500, answered.headers)
        if (fault === undefined) return void answered.pipe(to)
        let left = fault.cutAfter
        answered.on('data', (piece: Buffer) => {
          to.write(piece.subarray(0, left))
          left -= piece.length
          if (left > 0) return
          answered.destroy()
          to.destroy()
        })
      },
    )
    onward.on('error', () => to.destroy())
    from.pipe(onward)
  }

  const front = createServer(answer)
  await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve))
  const { port } = front.address() as AddressInfo
  const names = (end: string) =>
    readdirSync(directory, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(end))

  return {
    url: (key = 'S3RVER', secret = 'S3RVER', prefix = 'of/postern') =>
      `s3://${key}:${secret}@127.0.0.1:${port}/${BUCKET}/${prefix}?region=eu-central-1&tls=off`,
    /** The files in which objects are. */
    objects: () => names('_S3rver_object'),
    pathOf: (key: string) => join(directory, BUCKET, `${key}._S3rver_object`),
    /** The names under which something was begun to be sent and has not ended. */
    uploads: () =>
      (existsSync(uploads) ? readdirSync(uploads) : []).map((id) =>
        readFileSync(join(uploads, id, 'key'), 'utf8'),
      ),
    /** What a process that was killed leaves. */
    leaveUpload(key: string) {
      const folder = join(uploads, Buffer.from(key).toString('hex').slice(-32))
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'key'), key)
    },
    /** The requests so far, `METHOD PATH`. */
    requests,
    fail(by: typeof faultOf) {
      faultOf = by
    },
    async stop() {
      front.closeAllConnections()
      await new Promise((resolve) => front.close(resolve))
      const closed = storage.close()
      storage.httpServer.closeAllConnections()
      await closed
      rmSync(directory, { recursive: true })
    },
  }
}
