import { useState } from 'preact/hooks'
import type { Plan } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { bytes, count, money, number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Failed, Waiting } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { Buy } from './buy.tsx'
import { ACTION_WORDS, usePlans } from './data.ts'

const GIB = 1_024 ** 3

/** The plans that there are, which of them is the organization's, and what work costs. */
export function Plans() {
  const { data, failure, refresh } = usePlans()
  const reason = useAccess().reason({ role: 'administrator' })
  const [wanted, want] = useState<Plan | undefined>()
  if (data === undefined)
    return <Panel title="Plan">{failure ? <Failed failure={failure} retry={refresh} /> : <Waiting />}</Panel>
  const flags = data.modules.filter(({ byFlag }) => byFlag)
  const costs = data.actions.filter(({ credits }) => credits > 0)
  return (
    <Panel
      title="Plan"
      note={
        costs.length > 0 &&
        `Credits are taken for ${costs.map(({ action, credits }) => `${ACTION_WORDS[action] ?? textOf(action)} (${number(credits)})`).join(', ')}.`
      }
    >
      <div class="plan-cards">
        {data.data.map((plan) => (
          <article key={plan.name} class={`plan-card${plan.current ? ' plan-present' : ''}`}>
            <div class="row">
              <h3>{textOf(plan.name)}</h3>
              {plan.current && <Badge tone="good">yours</Badge>}
            </div>
            <div class="plan-price">
              {plan.price === null ? 'not for sale' : money(plan.price)}
              {plan.price !== null && plan.price.amount > 0 && (
                <span class="small quiet"> a {textOf(data.cycle)}</span>
              )}
            </div>
            <ul class="small">
              <li>
                {plan.creditsPerCycle === null
                  ? 'work without a limit'
                  : `${count(plan.creditsPerCycle, 'credit')} a ${textOf(data.cycle)}`}
              </li>
              <li>{count(plan.webhooks, 'webhook')}</li>
              {plan.requestsPerMinute !== null && (
                <li>{count(plan.requestsPerMinute, 'request')} a minute</li>
              )}
              {plan.storageGiB !== null && <li>{bytes(plan.storageGiB * GIB)} of files</li>}
              <li>{plan.modules.length === 0 ? 'no modules' : plan.modules.map(textOf).join(', ')}</li>
            </ul>
            {!plan.current && (
              <div>
                <Button
                  small
                  reason={reason ?? (plan.price === null ? 'The operator gives it' : undefined)}
                  onPress={() => want(plan)}
                >
                  Change to {textOf(plan.name)}
                </Button>
              </div>
            )}
          </article>
        ))}
      </div>
      {flags.length > 0 && (
        <p class="small quiet">
          Whatever the plan has:{' '}
          {flags.map(({ module, enabled }) => `${textOf(module)} is ${enabled ? 'on' : 'off'}`).join(', ')}.
        </p>
      )}
      {wanted && <Buy plan={wanted} onClose={() => want(undefined)} />}
    </Panel>
  )
}
