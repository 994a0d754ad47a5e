import { useEffect } from 'preact/hooks'
import type { Checkout } from '#sdk/postern.ts'
import { every, SECOND } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { count, money, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Failed, Notice, Waiting } from '../../parts/notice.tsx'
import { useCheckout } from './data.ts'

const WORDS: Record<Checkout['status'], ['good' | 'wait' | 'plain', string]> = {
  open: ['wait', 'not paid yet'],
  paid: ['good', 'paid, and here'],
  expired: ['plain', 'not paid in time'],
  refunded: ['plain', 'paid back'],
}

export const itemOf = ({ credits, plan }: Pick<Checkout, 'credits' | 'plan'>) =>
  credits === null ? `The plan ${textOf(plan)}` : count(credits, 'credit')

/** How a checkout stands; it is followed until it is over. */
export function CheckoutState({ id, onClose }: { id: string; onClose?: () => void }) {
  const { data, failure, refresh } = useCheckout(id)
  const isOpen = data?.status === 'open'
  useEffect(() => (isOpen ? every(3 * SECOND, refresh) : undefined), [isOpen, id])
  useEffect(() => {
    if (data?.status !== 'paid') return
    outdate('billing/balance')
    outdate('billing/ledger')
    outdate('billing/days')
    outdate('plans')
  }, [data?.status])
  if (data === undefined)
    return failure ? <Failed failure={failure} retry={refresh} /> : <Waiting lines={1} />
  const [tone, words] = WORDS[data.status] ?? ['plain', textOf(data.status)]
  return (
    <Notice
      tone={tone}
      icon={data.status === 'paid' ? 'check' : 'clock'}
      title={`${itemOf(data)}: ${words}`}
      actions={onClose && <Button kind="quiet" small icon="cross" label="Close" onPress={onClose} />}
    >
      {money(data.price)}
      {isOpen && '. It comes as soon as the payment provider says so; this follows by itself.'}
    </Notice>
  )
}
