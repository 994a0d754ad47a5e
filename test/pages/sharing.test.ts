import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { after, describe, it } from 'node:test'
import { noBrowser, openBrowser } from '../support/chromium.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/waits.ts'

describe('the browser that tests share', { skip: noBrowser }, () => {
  const held: ServerResponse[] = []
  const server = createServer((request, answer) => {
    if (request.url !== '/') return void held.push(answer)
    answer.setHeader('content-type', 'text/html')
    answer.end('<!doctype html><title>A page</title><h1>A page</h1>')
  })
  after(() => server.close().closeAllConnections())
  const started = freePort().then(async (port) => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return `http://localhost:${port}`
  })

  for (const [how, call] of [
    ['a call', `fetch('/held').catch(() => {})`],
    [
      'a call that outlives its page',
      `fetch('/held', { method: 'POST', body: 'x', keepalive: true }).catch(() => {})`,
    ],
    ['a picture', `new Image().src = '/held'`],
    ['a script', `document.body.append(Object.assign(document.createElement('script'), { src: '/held' }))`],
  ] as const)
    it(`tells a test nothing of what an earlier one has left under way, and gives it nothing of it: ${how}`, async () => {
      const origin = await started
      const earlier = await openBrowser()
      await earlier.page.goto(origin)
      await earlier.page.evaluate(`document.cookie = 'own=1'; localStorage.setItem('own', '1'); ${call}; 0`)
      await until(
        () => held.length,
        (calls) => calls === 1,
      )
      await earlier.close()
      const later = await openBrowser()
      const answers: string[] = []
      later.page.on('response', (answer) => answers.push(answer.url()))
      await later.page.goto(origin)
      const [answer] = held.splice(0)
      answer?.setHeader('set-cookie', 'late=1').writeHead(400, 'Bad Request').end()
      await until(
        () => answer,
        (one) => one?.writableFinished === true || one?.destroyed === true,
      )
      await later.page.goto(origin)
      assert.deepEqual(await later.page.evaluate('[document.cookie, localStorage.length]'), ['', 0])
      assert.deepEqual(answers, [`${origin}/`, `${origin}/`])
      assert.deepEqual(later.faults, [])
      await later.close()
    })
})
