// The worker: an engine behind messages.
import { Engine } from './engine.js';
import type { Answer, Message } from './protocol.js';

const engine = new Engine();

self.onmessage = async ({ data }: MessageEvent<Message>) => {
  const answer: Answer = { id: data.id };
  try {
    answer.value = await engine.handle(data.name, data.value as never);
  } catch (error) {
    answer.error = error instanceof Error ? error.message : String(error);
  }
  self.postMessage(answer);
};
