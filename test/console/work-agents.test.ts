import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useAgentTools } from '../support/agent-tools.ts'
import { agentCalls } from '../support/agents.ts'
import { begin, event, say, USAGE } from '../support/chat-server.ts'
import { at, closeCleanly, enter } from '../support/chromium.ts'
import { inConsole, openConsole, overflowOf, violationsOf } from '../support/console.ts'
import { administrator, member, type Person } from '../support/people.ts'
import { usePostern } from '../support/postern.ts'

const tools = await useAgentTools()

/** Lets the model write the first part of its answer, and the second part when the test releases it. */
function saysSlowly(first: string, rest: string): () => void {
  let go: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  tools.chat.answer = async (_asked, response) => {
    begin(response)
    const write = (content: string) => response.write(event({ choices: [{ index: 0, delta: { content } }] }))
    write(first)
    await held
    write(rest)
    response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
    response.end(`${event({ choices: [], usage: USAGE })}data: [DONE]\n\n`)
  }
  return go
}

inConsole('what the console does with agents, runs and their tools', 'sqlite', (engine) => {
  const server = usePostern(engine, { env: tools.env })
  const create = async (name: string) => {
    tools.reset()
    const person = await administrator(await server(), name)
    return { person, calls: agentCalls(await server(), person) }
  }
  const open = async (path: string, person: Person) => openConsole(await server(), person, path)

  it('registers a server of tools, shows what it changed, and has it accepted as it was seen', async () => {
    const { person } = await create('Of tools')
    const browsing = await open('/mcp-servers', person)
    const { page } = browsing
    const dialog = page.getByRole('dialog')
    await enter(page.getByRole('button', { name: 'Add MCP server' }).first())
    await dialog.getByLabel('Name').fill('crm')
    await dialog.getByLabel('URL').fill(tools.mcp.url)
    await page.keyboard.press('Enter')
    await page.getByText('never checked').waitFor()
    await page.getByRole('button', { name: 'Refresh tools' }).click()
    await page.getByText('ready', { exact: true }).waitFor()
    tools.mcp.tools[1] = { name: 'act', description: 'Acts on <b>everything</b>.' }
    await page.getByRole('button', { name: 'Refresh tools' }).click()
    await page.getByText('1 tool to accept').waitFor()
    await page.getByText('Acts on <b>everything</b>.').waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.getByRole('button', { name: 'Accept' }).click()
    await dialog.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('ready', { exact: true }).waitFor()
    assert.equal(await page.getByText('changed: off').count(), 0)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Edit the server' }).click()
    await dialog.getByLabel('Name').fill('crm-two')
    await dialog.getByLabel('Headers').selectOption('replace')
    await dialog.getByLabel('Authorization').fill('Bearer new')
    assert.deepEqual(await violationsOf(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'crm-two' }).waitFor()
    await page.getByText('authorization', { exact: true }).waitFor()
    await page.getByText('ready', { exact: true }).waitFor()
    await closeCleanly(browsing)
    const other = await open('/mcp-servers', await member(await server(), person))
    await other.page.getByRole('heading', { name: 'Your role does not permit mcp_servers:read' }).waitFor()
    await closeCleanly(other)
  })

  it('makes an agent of a model and tools, and a version of it with each change', async () => {
    const { person, calls } = await create('Of agents')
    await tools.register(calls)
    const browsing = await open('/agents/new', person)
    const { page } = browsing
    await page.getByLabel('Name').fill('Helper')
    await page.getByRole('combobox', { name: 'Model' }).selectOption('stub')
    await page.getByRole('checkbox', { name: /crm: act/ }).check()
    await enter(page.getByRole('button', { name: 'Create agent' }))
    await page.getByText('version 1', { exact: true }).waitFor()
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Be short.')
    await page.getByRole('group', { name: 'Call without approval' }).getByRole('checkbox').check()
    await page.getByRole('group', { name: 'Call side by side' }).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Save as new version' }).click()
    await page.getByText('version 2', { exact: true }).waitFor()
    const [agent] = (await calls.get('/v1/agents')).body.data
    assert.deepEqual(
      [agent.model, agent.instructions, agent.tools[0].approval, agent.tools[0].parallel],
      ['stub', 'Be short.', 'never', true],
    )
    await page.getByText('2 changes').click()
    const changes = page.getByRole('table', { name: 'Changes in version 2' })
    await changes.getByRole('row', { name: /Instructions.*Be short\./ }).waitFor()
    await changes.getByRole('row', { name: /Tool.*needs approval.*without approval, side by side/ }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByText('version 3', { exact: true }).waitFor()
    assert.equal((await calls.get(`/v1/agents/${agent.id}`)).body.instructions, '')
    await closeCleanly(browsing)
  })

  it('shows an answer as it is written, then its steps and what they cost', async () => {
    const { person, calls } = await create('Of runs')
    const agent = await calls.agent({ model: 'stub' })
    const go = saysSlowly('It costs ', 'ten <i>a month</i>.')
    const upload = { token: person.token, headers: { 'content-type': 'text/plain', prefer: 'wait=30' } }
    const client = (await server()).client()
    const { body: file } = await client.post('/v1/files?name=prices.txt', 'It costs ten.', upload)
    const browsing = await open(`/agents/${agent}`, person)
    const { page } = browsing
    await page.getByLabel('Input', { exact: true }).fill('What does it cost?')
    await page.getByText('Attach files').click()
    await page.getByRole('checkbox', { name: /prices\.txt/ }).check()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('heading', { name: 'What does it cost?', level: 1 }).waitFor()
    await page.getByText('It costs', { exact: true }).waitFor()
    go()
    await page.getByText('It costs ten <i>a month</i>.', { exact: true }).first().waitFor()
    await page.getByText('succeeded').first().waitFor()
    await page.locator('summary', { hasText: 'Model call' }).click()
    assert.deepEqual(await violationsOf(page), [])
    await page.getByText('1,000 read, 500 written').waitFor()
    const [run] = (await calls.get('/v1/runs')).body.data
    assert.deepEqual(run.fileIds, [file.id])
    await closeCleanly(browsing)
  })

  it('shows the Markdown of an answer without its HTML, its images and its other ways out', async () => {
    const { person, calls } = await create('Of Markdown')
    const answer = [
      '## Prices\n\nIt costs **ten** a month, see [the list](https://example.com/list) and `GET /prices`.',
      '- one\n- two\n\n| Plan | Price |\n|---|--:|\n| Free | 0 |\n\n```js\nconst ten = 10\n```',
      `![chart](${at(await server(), '/beacon.png')}) ![chart](https://beacon.example.com/a.png)`,
      `<img src="${at(await server(), '/beacon.png')}" onerror="alert(1)"> <script>alert(1)</script>`,
      '<style>@import "https://beacon.example.com/a.css"</style> <iframe src="https://beacon.example.com/"></iframe>',
      '[a](javascript:alert(1)) [b](data:text/html,<script>alert(1)</script>) <javascript:alert(1)>',
      '[c](/v1/auth/sign-out) [www.bank.example](https://evil.example/)',
    ].join('\n\n')
    const agent = await calls.agent({ model: 'stub' })
    const go = saysSlowly(answer.slice(0, 30), answer.slice(30))
    const { id } = await calls.run(agent, 'What does it cost?')
    const browsing = await open(`/runs/${id}`, person)
    const { page } = browsing
    page.on('dialog', () => assert.fail('a script of the answer ran'))
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    const shown = page.locator('.markdown')
    await shown.getByRole('heading', { name: 'Prices', level: 3 }).waitFor()
    // The drawn part stays the same element until the end of the answer.
    await page.evaluate(`document.querySelector('.markdown h3').setAttribute('data-kept', 'yes')`)
    go()
    await shown.getByRole('cell', { name: 'Free' }).waitFor()
    await shown.locator('h3[data-kept]').waitFor()
    await page.getByText('succeeded').first().waitFor()
    await shown.getByRole('link', { name: 'the list' }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    const links = (await page.evaluate(
      `[...document.querySelectorAll('.markdown a')].map(({ href, rel, textContent }) => [textContent, href, rel])`,
    )) as string[][]
    assert.ok(links.every(([, href = '', rel]) => /^https?:/.test(href) && rel === 'noopener noreferrer'))
    assert.deepEqual(
      links.filter(([text = '']) => !text.startsWith('http')).map(([text, href]) => [text, href]),
      [
        ['the list', 'https://example.com/list'],
        ['chart', at(await server(), '/beacon.png')],
        ['chart', 'https://beacon.example.com/a.png'],
        ['www.bank.example', 'https://evil.example/'],
      ],
    )
    await shown.getByText('(evil.example)').waitFor()
    assert.equal(await shown.locator('img, script, style, iframe, object, svg, form, input').count(), 0)
    assert.deepEqual(
      asked.filter((url) => /beacon|example|sign-out/.test(url)),
      [],
    )
    await page.setViewportSize({ width: 320, height: 700 })
    assert.ok((await overflowOf(page)) <= 0)
    await closeCleanly(browsing)
  })

  it('shows why a run failed in the words of the provider, resumes it, and says where its answer was cut', async () => {
    const { person, calls } = await create('Of failures')
    tools.chat.answer = (_asked, response) =>
      void response.writeHead(400).end(JSON.stringify({ error: { message: 'No <b>max_tokens</b> here.' } }))
    const { id } = await calls.run(await calls.agent({ model: 'stub' }), 'What does it cost?')
    await calls.ended(id)
    const browsing = await open(`/runs/${id}`, person)
    const { page } = browsing
    await page.getByText('The provider says: “No <b>max_tokens</b> here.”').first().waitFor()
    assert.deepEqual(await violationsOf(page), [])
    tools.chat.answer = (_asked, response) => say(response, 'It costs', 'length')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('The answer was cut off', { exact: true }).waitFor()
    await page.getByText('It costs', { exact: true }).first().waitFor()
    assert.equal((await calls.steps(id)).length, 2)
    assert.deepEqual(await violationsOf(page), [])
    await closeCleanly(browsing)
  })

  it('asks before a tool is called, calls it once when that is approved, and not when it is refused', async () => {
    const { person, calls } = await create('Of approvals')
    const agent = await tools.agent(calls, { approval: 'always' })
    const first = await calls.run(agent, 'Act.')
    const browsing = await open(`/runs/${first.id}`, person)
    const { page } = browsing
    await page.getByText('Approve a call of crm__act?', { exact: true }).waitFor()
    assert.deepEqual(await violationsOf(page), [])
    await enter(page.getByRole('button', { name: 'Approve' }))
    await page.getByText('Done.', { exact: true }).first().waitFor()
    await page.getByText('approved', { exact: true }).waitFor()
    await page.locator('summary', { hasText: 'Approval' }).first().click()
    await page.getByText('Approved by Ada Lovelace').waitFor()
    assert.equal(tools.called().length, 1)
    const second = await calls.run(agent, 'Act again.')
    await browsing.goto(`/runs/${second.id}`)
    await page.getByLabel('Reason for refusing (the model reads it)').fill('Not today')
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('refused', { exact: true }).waitFor()
    await page.getByText('Done.', { exact: true }).first().waitFor()
    assert.equal(tools.called().length, 1)
    assert.match(String(tools.results().at(-1)), /refused this call/)
    assert.match(String(tools.results().at(-1)), /The reason given: Not today$/)
    await page.locator('summary', { hasText: 'Approval' }).click()
    await page.getByText('Refused by Ada Lovelace').waitFor()
    await page.getByText('Reason: Not today').waitFor()
    await closeCleanly(browsing)
  })

  it('talks with an agent, stops an answer that is being written, and goes on in the same conversation', async () => {
    const { person, calls } = await create('Of talks')
    await calls.agent({ model: 'stub' })
    saysSlowly('A long story ', 'without an end')
    const browsing = await open('/conversations', person)
    const { page } = browsing
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    await page.getByLabel('Your question').fill('Tell me a story')
    await page.getByRole('dialog').getByRole('button', { name: 'Ask' }).click()
    await page.getByText('A long story', { exact: true }).waitFor()
    // On return to the screen the answer is shown with the text of the time in between.
    await page.reload()
    await page.getByText('A long story', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
    tools.chat.answer = (_asked, response) => say(response, 'A short one.')
    await page.getByLabel('Your question').fill('A shorter one')
    await page.keyboard.press('Enter')
    await page.getByText('A short one.', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Show the run' }).waitFor()
    await closeCleanly(browsing)
  })

  it('names the agent of a run, however many newer ones there are, and says of a deleted one that it is', async () => {
    const { person } = await create('Of many agents')
    const call = { token: person.token }
    const made = async (path: string, body: object, status: number) => {
      const answer = await person.client.post(path, body, call)
      assert.equal(answer.status, status, answer.text)
      return answer.body.id as string
    }
    const [first, gone] = [
      await made('/v1/agents', { name: 'The first of all' }, 201),
      await made('/v1/agents', { name: 'Not for long' }, 201),
    ]
    for (const id of [first, gone]) await made(`/v1/agents/${id}/runs`, { input: `Asked of ${id}` }, 202)
    assert.equal((await person.client.delete(`/v1/agents/${gone}`, call)).status, 204)
    for (let newer = 0; newer < 100; newer += 1) await made('/v1/agents', { name: `Newer ${newer}` }, 201)
    const browsing = await open('/runs', person)
    const { page } = browsing
    await page
      .locator('tr', { hasText: `Asked of ${first}` })
      .getByText('The first of all')
      .waitFor()
    await page
      .locator('tr', { hasText: `Asked of ${gone}` })
      .getByText('a deleted agent')
      .waitFor()
    // What the address filters by is shown as chosen, though it is not among what can be chosen.
    await browsing.visit(`/runs?agent=${first}`)
    assert.equal(await page.getByLabel('Agent', { exact: true }).inputValue(), first)
    await closeCleanly(browsing)
  })
})
