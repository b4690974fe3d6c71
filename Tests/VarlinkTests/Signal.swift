/// Something that happens once and that a test waits for.
final class Signal: Sendable {
    private let pair = AsyncStream.makeStream(of: Void.self)

    func send() {
        pair.continuation.yield()
        pair.continuation.finish()
    }

    /// Returns when it was sent, or when the task is cancelled.
    func wait() async {
        for await _ in pair.stream {}
    }
}
