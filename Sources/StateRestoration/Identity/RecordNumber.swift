/// Number of an object's record. It is never reused during the lifetime of the application's archive.
///
/// References between objects are stored as record numbers. The number 0 means no record.
package struct RecordNumber: Hashable, Sendable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// No record.
    package static let none = RecordNumber(0)
}

/// A generator of record numbers.
///
/// No number is assigned twice while the archive exists.
package final class RecordNumberGenerator {
    private var lastNumber: UInt32
    private var lastSequenceNumber: UInt64 = 0

    /// Creates a generator that starts after a number.
    ///
    /// - Parameter lastNumber: The highest number in an existing archive.
    package init(after lastNumber: UInt32 = 0) {
        self.lastNumber = lastNumber
    }

    /// Returns the next unused number.
    package func next() -> RecordNumber {
        precondition(lastNumber < .max, "an archive holds at most \(UInt32.max) records")
        lastNumber += 1
        return RecordNumber(lastNumber)
    }

    /// Returns a new sequence number for a pass, or for one listing of an object's children during a pass.
    func nextSequenceNumber() -> UInt64 {
        lastSequenceNumber += 1
        return lastSequenceNumber
    }
}
