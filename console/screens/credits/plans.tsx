import { useState } from 'preact/hooks'
import type { Plan } from '#sdk/postern.ts'
import { useAccess } from '../../app/access.ts'
import { bytes, money } from '../../app/amounts.ts'
import { count, number, textOf } from '../../app/words.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Loading } from '../../parts/notice.tsx'
import { Panel } from '../../parts/page.tsx'
import { Buy } from './buy.tsx'
import { ACTION_WORDS, isForSale, usePlans } from './data.ts'

const GIB = 1_024 ** 3

/** Whether an administrator can change to a plan here: it costs nothing, or a payment provider takes its price. */
const isTakeable = ({ price }: Plan, isPaid: boolean) => price !== null && (isPaid || price.amount === 0)

/** The plans, which of them the organization has, and what work costs. */
export function Plans() {
  const { data, failure, refresh } = usePlans()
  const reason = useAccess().reason({ permission: 'billing:write' })
  const [wanted, want] = useState<Plan | undefined>()
  if (data === undefined) return <Panel title="Plan">{<Loading failure={failure} retry={refresh} />}</Panel>
  const isPaid = isForSale(data)
  const flags = data.modules.filter(({ byFlag }) => byFlag)
  const costs = data.actions.filter(({ credits }) => credits > 0)
  return (
    <Panel
      title="Plan"
      note={
        costs.length > 0 &&
        `Credits are spent on ${costs.map(({ action, credits }) => `${ACTION_WORDS[action] ?? textOf(action)} (${number(credits)})`).join(', ')}.`
      }
    >
      <div class="plan-cards">
        {data.data.map((plan) => (
          <article key={plan.name} class={`plan-card${plan.current ? ' plan-present' : ''}`}>
            <div class="row">
              <h3>{textOf(plan.name)}</h3>
              {plan.current && <Badge tone="good">current</Badge>}
            </div>
            <div class="plan-price">
              {isPaid && plan.price !== null && money(plan.price)}
              {isPaid && plan.price !== null && plan.price.amount > 0 && (
                <span class="small quiet"> per {textOf(data.cycle)}</span>
              )}
            </div>
            <ul class="small">
              <li>
                {plan.creditsPerCycle === null
                  ? 'unlimited credits'
                  : `${count(plan.creditsPerCycle, 'credit')} per ${textOf(data.cycle)}`}
              </li>
              <li>{count(plan.webhooks, 'webhook')}</li>
              {plan.requestsPerMinute !== null && (
                <li>{count(plan.requestsPerMinute, 'request')} per minute</li>
              )}
              {plan.storageGiB !== null && <li>{bytes(plan.storageGiB * GIB)} of files</li>}
              <li>{plan.modules.length === 0 ? 'no modules' : plan.modules.map(textOf).join(', ')}</li>
            </ul>
            {!plan.current && isTakeable(plan, isPaid) && (
              <div>
                <Button small reason={reason} onPress={() => want(plan)}>
                  Change to {textOf(plan.name)}
                </Button>
              </div>
            )}
            {!plan.current && !isTakeable(plan, isPaid) && (
              <p class="small quiet">Granted by the operator.</p>
            )}
          </article>
        ))}
      </div>
      {flags.length > 0 && (
        <p class="small quiet">
          Set by the operator for this organization:{' '}
          {flags.map(({ module, enabled }) => `${textOf(module)} is ${enabled ? 'on' : 'off'}`).join(', ')}.
        </p>
      )}
      {wanted && <Buy plan={wanted} onClose={() => want(undefined)} />}
    </Panel>
  )
}
