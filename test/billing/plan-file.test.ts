import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { startApp } from '#src/app.ts'
import { ConfigError, readConfig } from '#src/config/config.ts'
import { BUILT_IN_PLANS, planOf } from '#src/core/plans.ts'
import { newEmail } from '../support/people.ts'
import { plansFile } from '../support/plans.ts'
import { onBothEngines, postern, startPostern } from '../support/postern.ts'

const FREE = { requestsPerMinute: 10, modules: ['webhooks'], creditsPerCycle: 5 }

/** What a file is refused for, without the name of the file. */
function problemsOf(content: object | string, env: Record<string, string> = {}): string[] {
  const file = plansFile(content)
  try {
    readConfig({ PLANS_FILE: file, DEFAULT_PLAN: 'free', ...env })
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.map((line) => line.replace(` (in ${file})`, ''))
  }
}

describe('PLANS_FILE', () => {
  it('says what there is to buy', () => {
    const file = plansFile({
      plans: {
        free: FREE,
        gold: {
          requestsPerMinute: null,
          modules: ['connections'],
          webhooks: 7,
          storageGiB: 3,
          creditsPerCycle: null,
          price: { amount: 990, currency: 'eur' },
        },
      },
      cycle: 'week',
      creditPack: { credits: 10, price: { amount: 200, currency: 'eur' } },
      prices: { 'connection.fetch': 3 },
    })
    const { book, default: defaultPlan } = readConfig({ PLANS_FILE: file, DEFAULT_PLAN: 'free' }).plans
    assert.deepEqual([...book.plans.keys()], ['free', 'gold'])
    assert.deepEqual(book.plans.get('gold'), {
      name: 'gold',
      requestsPerMinute: null,
      modules: ['connections'],
      webhooks: 7,
      storageGiB: 3,
      creditsPerCycle: null,
      price: { amount: 990, currency: 'eur' },
    })
    assert.equal(book.cycle, 'week')
    assert.deepEqual(book.creditPack, { credits: 10, price: { amount: 200, currency: 'eur' } })
    assert.equal(book.prices['connection.fetch'], 3)
    assert.equal(defaultPlan, 'free')
  })

  it('may leave out what has a sensible value: the cycle, the pack, prices', () => {
    const { book } = readConfig({
      PLANS_FILE: plansFile({ plans: { free: FREE } }),
      DEFAULT_PLAN: 'free',
    }).plans
    assert.equal(book.cycle, 'month')
    assert.equal(book.creditPack, null)
    assert.equal(book.prices['connection.fetch'], 1)
    assert.equal(book.plans.get('free')?.price, null)
    assert.equal(book.plans.get('free')?.webhooks, 100)
    assert.equal(book.plans.get('free')?.storageGiB, 1)
  })

  it('is told every problem at once, each with its exact place', () => {
    const content = {
      plans: {
        free: {
          requestsPerMinute: '60',
          modules: ['webhooks', 'mailboxes'],
          webhooks: 10_001,
          storageGiB: -1,
          creditsPerCycle: -1,
          colour: 'red',
        },
        'Big One': {
          requestsPerMinute: 0,
          modules: 'all',
          creditsPerCycle: 1.5,
          price: { amount: 1, currency: 'EUR' },
        },
        empty: null,
      },
      cycle: 'fortnight',
      creditPack: { credits: 0, price: null },
      prices: { 'connection.fetch': -1, 'agent.run': 5 },
      colours: [],
    }
    assert.deepEqual(problemsOf(content), [
      'PLANS_FILE colours is not known here; there are plans, cycle, creditPack, prices',
      'PLANS_FILE plans.free.colour is not known here; there are requestsPerMinute, modules, webhooks, storageGiB, creditsPerCycle, price',
      'PLANS_FILE plans.free.requestsPerMinute must be a whole number from 1 to 1,000,000,000, or null for no limit (it is "60")',
      'PLANS_FILE plans.free.modules[1] must be one of webhooks, connections, files, knowledge, agents (it is "mailboxes")',
      'PLANS_FILE plans.free.webhooks must be a whole number from 0 to 10,000 (it is 10001)',
      'PLANS_FILE plans.free.storageGiB must be a whole number from 0 to 1,000,000,000, or null for no limit (it is -1)',
      'PLANS_FILE plans.free.creditsPerCycle must be a whole number from 0 to 1,000,000,000, or null for no limit (it is -1)',
      'PLANS_FILE plans["Big One"] must be named with 1 to 32 of a-z, 0-9 and -, beginning with a letter or digit',
      'PLANS_FILE plans["Big One"].requestsPerMinute must be a whole number from 1 to 1,000,000,000, or null for no limit (it is 0)',
      'PLANS_FILE plans["Big One"].modules must be a list of modules: webhooks, connections, files, knowledge, agents (it is "all")',
      'PLANS_FILE plans["Big One"].creditsPerCycle must be a whole number from 0 to 1,000,000,000, or null for no limit (it is 1.5)',
      'PLANS_FILE plans["Big One"].price.currency must be a currency of three letters in lower case, such as "usd" (it is "EUR")',
      'PLANS_FILE plans.empty must be an object with requestsPerMinute, modules, webhooks, storageGiB, creditsPerCycle, price (it is null)',
      'PLANS_FILE cycle must be one of day, week, month, year (it is "fortnight")',
      'PLANS_FILE creditPack.credits must be a whole number from 1 to 1,000,000,000 (it is 0)',
      'PLANS_FILE creditPack.price must be an object with amount, currency (it is null)',
      'PLANS_FILE prices["agent.run"] is not known here; there are connection.fetch, file.process, document.index, run.step',
      'PLANS_FILE prices["connection.fetch"] must be a whole number from 0 to 1,000,000,000 (it is -1)',
    ])
  })

  it('is told what it lacks', () => {
    assert.deepEqual(problemsOf({}), ['PLANS_FILE plans must be an object'])
    assert.deepEqual(problemsOf({ plans: {} }), ['PLANS_FILE plans must hold one plan at least'])
    assert.deepEqual(problemsOf('[]'), [
      'PLANS_FILE the file must be an object with plans, cycle, creditPack, prices (it is [])',
    ])
    assert.match(problemsOf('{"plans": ')[0] ?? '', /^PLANS_FILE is not JSON/)
    assert.deepEqual(problemsOf({ plans: { free: {} } }), [
      'PLANS_FILE plans.free.requestsPerMinute must be a whole number from 1 to 1,000,000,000, or null for no limit',
      'PLANS_FILE plans.free.modules must be a list of modules: webhooks, connections, files, knowledge, agents',
      'PLANS_FILE plans.free.creditsPerCycle must be a whole number from 0 to 1,000,000,000, or null for no limit',
    ])
  })

  it('must be there, and have the plan of new organizations', () => {
    assert.throws(
      () => readConfig({ PLANS_FILE: '/nowhere/plans.json' }),
      (error: ConfigError) =>
        error.problems[0] === 'PLANS_FILE cannot be read: ENOENT (in /nowhere/plans.json)',
    )
    assert.deepEqual(problemsOf({ plans: { free: FREE, gold: FREE } }, { DEFAULT_PLAN: 'scale' }), [
      'DEFAULT_PLAN must be one of free, gold (it is "scale")',
    ])
  })
})

onBothEngines('a plan that is gone from PLANS_FILE', (engine) => {
  it('is told at the start, as long as organizations have it', async () => {
    const both = {
      DEFAULT_PLAN: 'free',
      PLANS_FILE: plansFile({ plans: { free: FREE, gold: FREE, silver: FREE } }),
    }
    const server = await startPostern(engine, { env: both })
    const [golden, silver] = [newEmail('Gold'), newEmail('Silver')]
    for (const [name, plan] of [
      [golden, 'gold'],
      [newEmail('Gold too'), 'gold'],
      [silver, 'silver'],
    ] as const) {
      const { code } = await postern(
        server,
        'invite',
        '--organization',
        name,
        '--email',
        newEmail(),
        '--plan',
        plan,
      )
      assert.equal(code, 0)
    }
    await server.stop()
    const fewer = { ...server.env, PLANS_FILE: plansFile({ plans: { free: FREE } }) }
    const restart = () =>
      startApp({ config: readConfig(fewer), clock: server.clock, log: pino({ level: 'silent' }) })
    await assert.rejects(restart, ({ message }: Error) => {
      assert.match(message, /^Organizations have plans that are not among free:/)
      assert.match(message, / {2}- "gold": Gold.* and 1 more\n {2}- "silver": Silver\S+\n/)
      return true
    })
    const doctor = await postern({ env: fewer }, 'doctor')
    assert.match(doctor.out, /^problem +Plans +organizations have gold, silver, which PLANS_FILE lacks/m)
    // The command works all the same: it is the way out.
    for (const name of [golden, silver]) {
      const { out } = await postern({ env: fewer }, 'plan', '--organization', name, '--plan', 'free')
      assert.match(out, /has the plan free now, it had (gold|silver)\./)
    }
    await assert.rejects(restart, /"gold": Gold too/)
  })
})

describe('a plan that no process knows', () => {
  it('is allowed no more than any plan is: no module, no credits, the lowest rate, the fewest webhooks', () => {
    assert.deepEqual(planOf(BUILT_IN_PLANS, 'gone'), {
      name: 'gone',
      requestsPerMinute: 60,
      modules: [],
      webhooks: 20,
      storageGiB: 1,
      creditsPerCycle: 0,
      price: null,
    })
  })
})
