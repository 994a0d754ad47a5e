import { writeXlsx } from 'hucre/xlsx'
import type { Visitor } from './door.ts'
import type { Stage } from './perform.ts'
import * as step from './steps.ts'

/** What Ada knows: a price list as a spreadsheet. */
const PRICES = [
  ['Product', 'Price', 'Delivery'],
  ['Hammock', '49 euros', 'within three days'],
  ['Lantern', '15 euros', 'on the next day'],
  ['Tent for two', '230 euros', 'within two weeks'],
]

const QUESTION = 'How long does delivery of the tent take?'

/** A spreadsheet is read and indexed, and an agent answers from it, with nothing configured. */
export async function agentAnswers(stage: Stage, ada: Visitor, webhookId: string): Promise<void> {
  const { print, peers, door } = stage
  print.chapter(
    'An agent answers from a spreadsheet',
    'No model is configured: the built-in one quotes what it finds, and says where it stands.',
  )
  await door.call(ada, `PATCH /v1/webhooks/${webhookId}`, {
    body: { events: ['agent.run.completed', 'file.processed'] },
    status: 200,
    show: step.only('id', 'events'),
  })
  const received = peers.receiver.calls.length
  const file = await door.call(ada, 'POST /v1/files?name=prices.xlsx', {
    bytes: await writeXlsx({ sheets: [{ name: 'Prices', rows: PRICES }] }),
    headers: { prefer: 'wait=30' },
    status: 201,
    show: step.only('id', 'name', 'mediaType', 'sizeBytes', 'status'),
  })
  print.check(
    'The spreadsheet was read, in a process of its own that may do nothing else',
    file.body.status,
    'processed',
  )
  const base = await door.call(ada, 'POST /v1/knowledge-bases', {
    body: { name: 'Shop' },
    status: 201,
    show: step.only('id', 'name'),
  })
  const document = await door.call(ada, `POST /v1/knowledge-bases/${base.body.id}/documents`, {
    body: { fileId: file.body.id },
    headers: { prefer: 'wait=30' },
    status: 201,
    show: step.only('id', 'name', 'status', 'chunks'),
  })
  print.check('Its text can be found', document.body.status, 'indexed')
  const agent = await door.call(ada, 'POST /v1/agents', {
    body: { name: 'Shop assistant', knowledgeBaseIds: [base.body.id] },
    status: 201,
    show: step.only('id', 'name', 'model'),
  })
  const run = await door.call(ada, `POST /v1/agents/${agent.body.id}/runs`, {
    body: { input: QUESTION },
    headers: { prefer: 'wait=30' },
    status: 200,
    show: step.only('id', 'status'),
  })
  const { id: runId, status, output, durationMs, finishReason, conversationId, metadata, error } = run.body
  print.shown('says', output)
  print.check('The agent quotes the line, and names the document and the sheet', quotationOf(output), {
    ...{ line: true, document: true, sheet: true },
  })

  await peers.receiver.call(received + 2)
  const calls = peers.receiver.calls.slice(received).map(({ event, status }) => ({ ...event, status }))
  const of = (type: string) => calls.find((call) => call.type === type)
  for (const { type, data } of calls) print.peer(`the receiver is called: ${type}`, JSON.stringify(data))
  print.check(
    'The receiver was told that the file is processed, signed',
    [of('file.processed')?.status, of('file.processed')?.data.fileId],
    [204, file.body.id],
  )
  print.check(
    'And how the run ended, in the very words of the run',
    [of('agent.run.completed')?.status, of('agent.run.completed')?.data],
    [
      204,
      {
        ...{ agentId: agent.body.id, runId, status, durationMs, finishReason, output },
        ...{ conversationId, metadata, error },
      },
    ],
  )
}

function quotationOf(output: string) {
  const line = output.split('\n').some((text) => /^> .*Tent for two.*within two weeks/.test(text))
  return { line, document: output.includes('prices.xlsx'), sheet: output.includes('Prices') }
}
