import { useEffect } from 'preact/hooks'
import type { Checkout } from '#sdk/postern.ts'
import { money } from '../../app/amounts.ts'
import { every, SECOND } from '../../app/clock.ts'
import { outdate } from '../../app/data/cache.ts'
import { count, textOf } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Loading, Notice } from '../../parts/notice.tsx'
import { isForSale, useCheckout, usePlans } from './data.ts'

/** By the state of a checkout: its tone, its words where a payment provider is configured, and where none is. */
const WORDS: Record<Checkout['status'], ['good' | 'wait' | 'plain', string, string]> = {
  open: ['wait', 'waiting for payment', 'waiting for the operator'],
  paid: ['good', 'received', 'received'],
  expired: ['plain', 'expired before it was paid', 'expired'],
  refunded: ['plain', 'refunded', 'taken back'],
}

export const itemOf = ({ credits, plan }: Pick<Checkout, 'credits' | 'plan'>) =>
  credits === null ? `The plan ${textOf(plan)}` : count(credits, 'credit')

/** How a checkout stands; it is followed until it is over. */
export function CheckoutState({ id, onClose }: { id: string; onClose?: () => void }) {
  const { data, failure, refresh } = useCheckout(id)
  const plans = usePlans().data
  const isOpen = data?.status === 'open'
  useEffect(() => (isOpen ? every(3 * SECOND, refresh) : undefined), [isOpen, id])
  useEffect(() => {
    if (data?.status !== 'paid') return
    outdate('billing/balance')
    outdate('billing/ledger')
    outdate('billing/days')
    outdate('plans')
  }, [data?.status])
  if (data === undefined) return <Loading failure={failure} retry={refresh} lines={1} />
  const [tone, words, byHand] = WORDS[data.status]
  const isPaid = isForSale(plans)
  return (
    <Notice
      tone={tone}
      icon={data.status === 'paid' ? 'check' : 'clock'}
      title={`${itemOf(data)}: ${isPaid ? words : byHand}`}
      actions={onClose && <Button kind="quiet" small icon="cross" label="Close" onPress={onClose} />}
    >
      {isPaid && money(data.price)}
      {isOpen &&
        (isPaid
          ? '. It arrives when the payment provider confirms the payment. This page updates by itself.'
          : 'The operator of this server settles it. This page updates by itself.')}
    </Notice>
  )
}
