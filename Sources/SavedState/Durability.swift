/// Counts what was written to an archive, and up to where that is durable.
struct Durability {
    /// How many writes there were.
    private(set) var written: UInt64 = 0
    /// How many of them are durable.
    private(set) var durable: UInt64 = 0
    /// The write that a sync which is going on covers; nil: none is going on.
    private(set) var covering: UInt64?
    /// Counts the files: a sync of an earlier one says nothing of the present one.
    private(set) var epoch: UInt64 = 0

    /// Whether all that was written is durable.
    var isComplete: Bool { durable == written }

    /// Something was written, and is not durable yet.
    mutating func noteWritten() { written += 1 }

    /// A whole new file was made, durably.
    mutating func noteWhole() {
        written += 1
        durable = written
        covering = nil
        epoch += 1
    }

    /// All that was written so far is durable.
    mutating func noteDurable() { durable = written }

    /// A sync begins.
    mutating func begin() { covering = written }

    /// The sync that is going on has ended.
    mutating func end(isDurable: Bool) {
        if isDurable, let covering { durable = max(durable, covering) }
        covering = nil
    }
}
