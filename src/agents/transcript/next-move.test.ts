import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY } from '../../core/clock.ts'
import {
  APPROVAL_LIFETIME,
  MOST_SIDE_BY_SIDE,
  MOST_STARTS,
  type Move,
  nextMove,
  openCalls,
  type Rules,
} from './next-move.ts'
import type { Step } from './rows.ts'

const NOW = 1_000 * DAY
const RULES: Rules = {
  ...{ maxSteps: 50, model: 'one', onLength: 'keep', onModelFailure: 'fail', fallbackModel: null },
  ...{ resumedSeq: 0, deadlineAt: NOW + DAY, now: NOW, parallel: new Set(['find', 'look']) },
}

function step(seq: number, more: Partial<Step>): Step {
  return {
    ...{
      id: `stp_${seq}`,
      run_id: 'run_1',
      seq,
      first_seq: null,
      kind: 'tool',
      status: 'succeeded',
      name: 'find',
    },
    ...{ server_id: null, call_id: null, input: null, input_digest: null, definition_digest: null },
    ...{ approvers: null, output: null, reason: null, finish_reason: null, retry: null, retry_at: null },
    ...{ provider_message: null, tries: 1, reservation: null, input_tokens: 0, output_tokens: 0, credits: 0 },
    ...{ decided_by: null, started_at: NOW, ended_at: NOW },
    ...more,
  } as Step
}

/** An answer that calls tools by their names, by default with readable arguments. */
function answer(names: string[], { finish = 'stop', text = '{}' } = {}): Step {
  const calls = names.map((name, index) => ({ id: `call-${index}`, name, arguments: text }))
  const output = JSON.stringify({ text: '', calls, finish })
  return step(1, { kind: 'model', name: 'one', output, finish_reason: finish as 'stop' })
}

/** A short form of a move: the positions of the calls, or its kind. */
function brief(move: Move): string {
  if (move.kind === 'tools') return move.calls.map(({ seq, call }) => `${seq}:${call.name}`).join(' ')
  return 'reason' in move ? `${move.kind} ${move.reason}` : move.kind
}

describe('the next move of a run', () => {
  it('makes calls side by side from the first open one on, up to one that may not be', () => {
    for (const [names, expected] of [
      [['find'], '2:find'],
      [['find', 'look', 'find'], '2:find 3:look 4:find'],
      [['find', 'act', 'look'], '2:find'],
      [['act', 'find', 'look'], '2:act'],
      [['act', 'act'], '2:act'],
      [['find', 'none', 'look'], '2:find'],
      [
        Array(12).fill('find'),
        Array.from({ length: MOST_SIDE_BY_SIDE }, (_, n) => `${2 + n}:find`).join(' '),
      ],
    ] as const)
      assert.equal(brief(nextMove([answer([...names])], RULES)), expected)
  })

  it('makes calls alone of an answer that was cut, or that cannot be read, or that was decided about', () => {
    assert.equal(brief(nextMove([answer(['find', 'look'], { finish: 'length' })], RULES)), '2:find')
    assert.equal(brief(nextMove([answer(['find', 'look'], { text: '[' })], RULES)), '2:find')
    const approval = step(2, { kind: 'approval', call_id: 'call-0', decided_by: 'acc' })
    assert.equal(brief(nextMove([answer(['find', 'look']), approval], RULES)), '3:find')
  })

  it('makes no more calls side by side than steps are left', () => {
    const five = answer(Array(5).fill('find'))
    for (const [maxSteps, expected] of [
      [1, 'fail max_steps'],
      [2, '2:find'],
      [4, '2:find 3:find 4:find'],
    ] as const)
      assert.equal(brief(nextMove([five], { ...RULES, maxSteps })), expected)
    const two = [2, 3].map((seq) => step(seq, { call_id: `call-${seq - 2}`, first_seq: 2 }))
    assert.equal(brief(nextMove([five, ...two], { ...RULES, maxSteps: 4 })), '4:find')
    assert.equal(brief(nextMove([five, ...two], { ...RULES, maxSteps: 3 })), 'fail max_steps')
  })

  it('waits while a call is decided about, and asks anew where the run failed and was resumed after a day', () => {
    const model = answer(['act', 'act'])
    const approval = (more: Partial<Step>) =>
      step(2, { kind: 'approval', name: 'act', call_id: 'call-0', ...more })
    assert.equal(brief(nextMove([model, approval({ status: 'started', ended_at: null })], RULES)), 'wait')
    const given = approval({ decided_by: 'acc', ended_at: NOW - APPROVAL_LIFETIME })
    const approvalOf = (steps: Step[], rules: Rules) => {
      const move = nextMove(steps, rules)
      return move.kind === 'tools' ? move.calls[0]?.approval : assert.fail(brief(move))
    }
    assert.equal(approvalOf([model, given], RULES), given, 'it waited for another decision')
    const resumed = { ...RULES, resumedSeq: 3 }
    assert.equal(approvalOf([model, given], resumed), undefined)
    assert.deepEqual(
      openCalls([model, given], resumed).map(({ id }) => id),
      ['call-0', 'call-1'],
    )
    assert.equal(approvalOf([model, { ...given, ended_at: NOW - APPROVAL_LIFETIME + 1 }], resumed)?.seq, 2)
    const denied = approval({ status: 'failed', decided_by: 'acc', ended_at: NOW - 9 * DAY })
    assert.equal(approvalOf([model, denied], resumed), denied, 'what was denied stays denied')
    const again = step(4, { kind: 'approval', name: 'act', call_id: 'call-0', decided_by: 'acc' })
    assert.equal(approvalOf([model, given, again], resumed), again)
  })

  it('asks the model once more after each death of a process, until so many have died that the run is the cause', () => {
    const asking = (tries: number) => step(1, { kind: 'model', status: 'started', ended_at: null, tries })
    assert.equal(brief(nextMove([asking(MOST_STARTS - 1)], RULES)), 'model')
    assert.equal(brief(nextMove([asking(MOST_STARTS)], RULES)), 'fail crashed_repeatedly')
  })

  it('takes up each call that a process has died with by itself', () => {
    const model = answer(['find', 'look', 'find'])
    const begun = (seq: number, more: Partial<Step> = {}) =>
      step(seq, { call_id: `call-${seq - 2}`, first_seq: 2, status: 'started', ended_at: null, ...more })
    const ended = { status: 'succeeded' as const }
    assert.equal(brief(nextMove([model, begun(2), begun(3), begun(4)], RULES)), '2:find 3:look 4:find')
    assert.equal(brief(nextMove([model, begun(2), begun(3, ended), begun(4)], RULES)), '2:find 4:find')
    const move = nextMove([model, begun(2, ended), begun(3, ended), begun(4, { tries: 9 })], RULES)
    assert.ok(move.kind === 'tools' && move.calls.every((call) => call.begun?.tries === 9))
    // A call that the answer does not contain cannot be resumed.
    const strange = begun(4, { call_id: 'call-9' })
    assert.equal(brief(nextMove([model, begun(2), strange], RULES)), 'fail crashed_repeatedly')
  })
})

/** Starts after which a call is not repeated. */
const MOST_TRIES = 3

/** A run whose process may die during any move; it is stepped until it succeeds. */
interface World {
  steps: Step[]
  /** How often each call was made. */
  made: Map<string, number>
}

const isRepeatable = (name: string) => name === 'look'

/**
 * All states after one move: the process ends it, or dies before it, during it with any subset of calls settled, or
 * after it.
 */
function worldsAfter({ steps, made }: World, move: Extract<Move, { kind: 'tools' }>): World[] {
  const lost = move.calls.filter(
    ({ call, begun }) => begun !== undefined && !(isRepeatable(call.name) && begun.tries < MOST_TRIES),
  )
  const put = (some: Step[]) => {
    const places = new Set(some.map(({ seq }) => seq))
    return [...steps.filter(({ seq }) => !places.has(seq)), ...some].sort((a, b) => a.seq - b.seq)
  }
  if (lost.length > 0)
    return [{ steps: put(lost.map(({ begun }) => ({ ...(begun as Step), status: 'unknown' }))), made }]
  const [first] = move.calls
  const begun = move.calls.map(({ seq, call, begun: before }) =>
    before === undefined
      ? step(seq, {
          ...{ name: call.name, call_id: call.id, status: 'started', ended_at: null },
          first_seq: first?.seq ?? seq,
        })
      : { ...before, tries: before.tries + 1 },
  )
  const called = new Map(made)
  for (const { call_id } of begun) called.set(String(call_id), (called.get(String(call_id)) ?? 0) + 1)
  // Each subset of the calls may be settled when the process dies; the full set is the end of the move.
  return Array.from({ length: 2 ** begun.length }, (_, settled) => ({
    steps: put(begun.map((one, index) => (settled & (1 << index) ? { ...one, status: 'succeeded' } : one))),
    made: called,
  }))
}

describe('calls that are made side by side, wherever processes die', () => {
  for (const names of [
    'find find find',
    'look look look',
    'find look find',
    'look act look',
    'act find look',
  ])
    it(`are each made as often as they may be, in their places: ${names}`, () => {
      const asked = names.split(' ')
      let worlds: World[] = [{ steps: [answer(asked)], made: new Map() }]
      const seen = new Set<string>()
      let ends = 0
      while (worlds.length > 0) {
        const next: World[] = []
        for (const world of worlds) {
          const move = nextMove(world.steps, RULES)
          const places = world.steps.map(({ seq }) => seq)
          assert.deepEqual(
            places,
            places.map((_, index) => index + 1),
          )
          for (const [index, name] of asked.entries()) {
            const times = world.made.get(`call-${index}`) ?? 0
            assert.ok(times <= (isRepeatable(name) ? MOST_TRIES : 1), `${name} was made ${times} times`)
          }
          if (move.kind !== 'tools') {
            assert.equal(brief(move), 'model')
            const ended = world.steps.slice(1)
            assert.deepEqual(
              ended.map(({ call_id }) => call_id),
              asked.map((_, index) => `call-${index}`),
            )
            // An executed call with an answer is not unknown, and no outcome belongs to a call that was never made.
            assert.ok(ended.every(({ call_id }) => world.made.has(String(call_id))))
            ends += 1
            continue
          }
          const isHarmless = ({ call }: { call: { name: string } }) => call.name !== 'act'
          assert.ok(move.calls.length === 1 || move.calls.every(isHarmless))
          for (const after of worldsAfter(world, move)) {
            const key = JSON.stringify([after.steps, [...after.made]])
            if (!seen.has(key)) next.push(after)
            seen.add(key)
          }
        }
        worlds = next
      }
      assert.ok(ends > 3, String(ends))
    })
})
