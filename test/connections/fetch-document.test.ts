import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { connectWild, useConnections } from '../support/connections.ts'
import { onOneEngineByDay } from '../support/postern.ts'

/** Parts of an order, and whether it is taken. */
const ORDERS: [object, boolean][] = [
  [{}, true],
  [{ method: 'HEAD' }, true],
  [{ method: 'TRACE' }, false],
  [{ url: 'ftp://example.com' }, false],
  [{ body: 'x' }, false],
  [{ body: '' }, false],
  [{ method: 'HEAD', body: {} }, false],
  [{ method: 'DELETE', body: 'x' }, true],
  [{ method: 'POST', body: { a: [1, { constructor: 1 }] } }, true],
  [{ method: 'POST', body: [null] }, true],
  [{ method: 'POST', body: 1 }, false],
  [{ method: 'POST', bodyEncoding: 'text' }, true],
  [{ method: 'POST', bodyEncoding: 'base64' }, false],
  [{ method: 'POST', bodyEncoding: 'base64', body: {} }, false],
  ...['', 'QQ==', 'QUI=', 'QUJD', 'QUJDQUJD', '+/+/'].map((body): [object, boolean] => [
    { method: 'POST', bodyEncoding: 'base64', body },
    true,
  ]),
  ...['*', 'QQ', 'QR==', 'QUJ=', 'QUJ', 'QUJD\n', '-_-_'].map((body): [object, boolean] => [
    { method: 'POST', bodyEncoding: 'base64', body },
    false,
  ]),
  ...['x-a', 'X-A', 'Accept', 'x-ranged', 'hosts', 'te-x', "!#$%&'*+.^_`|~-", 'constructor'].map(
    (name): [object, boolean] => [{ headers: { [name]: 'a b\t~' } }, true],
  ),
  ...[
    '',
    'x a',
    'x-ä',
    'x:',
    'x\n',
    'Authorization',
    'HOST',
    'cookie2',
    'Te',
    'Proxy-x',
    'sec-',
    'X-Real-Ip',
  ].map((name): [object, boolean] => [{ headers: { [name]: 'x' } }, false]),
  ...['Range', 'If-Range', 'x-range', 'X-MS-range', 'x-a-b-Range', 'Accept-Charset', 'X-Method-Override'].map(
    (name): [object, boolean] => [{ headers: { [name]: 'x' } }, false],
  ),
  ...['ä', 'a\r\nb', '\u0000', '\u007f'].map((value): [object, boolean] => [
    { headers: { 'x-a': value } },
    false,
  ]),
]

onOneEngineByDay('what may be asked of a provider', (engine) => {
  const server = useConnections(engine)

  it('stands in the document to the letter', async () => {
    const context = await server()
    const { postern, wild, admin } = context
    const id = await connectWild(context, admin)
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema({ $id: 'document', ...(await postern.client().get('/openapi.json')).body })
    const path = '~1v1~1connections~1{id}~1fetch/post/requestBody/content/application~1json/schema'
    const isAsDocumented = ajv.getSchema(`document#/paths/${path}`) ?? assert.fail(path)
    for (const [parts, isTaken] of ORDERS) {
      const order = { method: 'GET', url: `${wild.origin}/things`, ...parts }
      const said = JSON.stringify(order)
      assert.equal(isAsDocumented(order), isTaken, said)
      const { status, text } = await postern
        .client()
        .post(`/v1/connections/${id}/fetch`, order, { token: admin.token })
      assert.equal(status, isTaken ? 200 : 400, `${said}: ${text}`)
    }
  })
})
