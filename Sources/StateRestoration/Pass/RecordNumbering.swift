/// Gives out record numbers, each once in the life of an archive.
package final class RecordNumbering {
    private var last: UInt32
    private var lastStamp: UInt64 = 0

    /// - Parameter last: the highest number that an archive holds.
    package init(after last: UInt32 = 0) {
        self.last = last
    }

    package func next() -> RecordNumber {
        precondition(last < .max, "an archive holds at most \(UInt32.max) records")
        last += 1
        return RecordNumber(last)
    }

    /// Tells a pass, or a listing in one, from all others of the application.
    func nextStamp() -> UInt64 {
        lastStamp += 1
        return lastStamp
    }
}
