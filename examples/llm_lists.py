"""A language model orders ten texts at a time: `python examples/llm_lists.py URL MODEL`, any chat endpoint.

The command `ordain judge` does this with a run on disk, an audit and a budget; here is the bare form.
"""

import re
import sys

import httpx

import ordain

ANIMALS = ["mouse 1", "hen 2", "cat 3", "sheep 4", "wolf 5", "horse 6", "bear 7", "giraffe 8", "elephant 9", "whale 10"]
ANIMALS += [f"{name} the younger" for name in ANIMALS]
QUESTION = "Put the texts in order, the largest animal first. Answer with their letters alone, such as B > A > C."


def asking(client: httpx.Client, url: str, model: str):
    """A judge of lists: from some texts to the same texts, best first."""

    def ordered(texts):
        shown = "\n".join(
            f"<<<{chr(65 + k)} text>>>\n{text}\n<<<end {chr(65 + k)} text>>>" for k, text in enumerate(texts)
        )
        messages = [{"role": "user", "content": f"{QUESTION}\n\n{shown}"}]
        reply = client.post(f"{url}/chat/completions", json={"model": model, "messages": messages}).raise_for_status()
        said = reply.json()["choices"][0]["message"]["content"]
        letters = re.findall(r"\b[A-Z]\b", said.removeprefix("Order:"))
        return [texts[ord(letter) - 65] for letter in letters if ord(letter) - 65 < len(texts)]

    return ordered


def main() -> None:
    url, model = sys.argv[1:3]
    with httpx.Client(timeout=60) as client:
        best = ordain.top_k(ANIMALS, k=5, order=asking(client, url, model), seed=0)
    for place, animal in enumerate(best, 1):
        print(place, animal)


if __name__ == "__main__":
    main()
