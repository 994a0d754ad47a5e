import { setPriority } from 'node:os'
import { parentPort, Worker } from 'node:worker_threads'
import { heapLimits } from './heap-limits.ts'

/** A worker thread that answers questions, for work that would block the event loop. */
interface Thread<Question, Answer> {
  /**
   * @param handed memory of the question that is transferred to the thread
   * @throws Error with the message of the thread's error
   */
  ask(question: Question, handed?: ArrayBuffer[]): Promise<Answer>
  close(): Promise<void>
}

interface ThreadRequest<Question> {
  id: number
  question: Question
}

type ThreadResponse<Answer> = { id: number; answer: Answer } | { id: number; failure: string }

/** The thread starts with the first question, and again after a crash. It keeps the process alive only while a question is open. */
export function createThread<Question, Answer>(
  file: URL,
  { heapMb, workerData }: { heapMb: number; workerData?: unknown },
): Thread<Question, Answer> {
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  let worker: Worker | undefined
  let isClosed = false
  let last = 0

  function rejectAll(error: Error): void {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const started = new Worker(file, {
      workerData,
      resourceLimits: heapLimits(heapMb),
    })
    started.on('message', (message: ThreadResponse<Answer>) => {
      const asker = waiting.get(message.id)
      waiting.delete(message.id)
      if (waiting.size === 0) started.unref()
      if ('answer' in message) asker?.resolve(message.answer)
      else asker?.reject(new Error(message.failure))
    })
    started.on('error', (cause: Error) => {
      worker = undefined
      rejectAll(new Error('the thread has ended', { cause }))
    })
    return started
  }

  return {
    ask(question, handed = []) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the thread is closed'))
        last += 1
        waiting.set(last, { resolve, reject })
        worker ??= start()
        worker.ref()
        worker.postMessage({ id: last, question } satisfies ThreadRequest<Question>, handed)
      })
    },
    async close() {
      isClosed = true
      rejectAll(new Error('the thread is closed'))
      await worker?.terminate()
    },
  }
}

/** Answers the questions of a thread; asynchronous answers may overlap. */
export function serveQuestions<Question, Answer>(
  answerTo: (question: Question) => Answer | Promise<Answer>,
): void {
  parentPort?.on('message', async ({ id, question }: ThreadRequest<Question>) => {
    try {
      const answer = await answerTo(question)
      parentPort?.postMessage({ id, answer } satisfies ThreadResponse<Answer>)
    } catch (error) {
      parentPort?.postMessage({ id, failure: (error as Error).message } satisfies ThreadResponse<Answer>)
    }
  })
}

const LOWER_NICENESS = 5

/** Lowers the priority of this thread below that of the event loop. Only Linux supports that for a single thread. */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(LOWER_NICENESS)
  } catch {
    // Not permitted: the thread keeps the normal priority.
  }
}
