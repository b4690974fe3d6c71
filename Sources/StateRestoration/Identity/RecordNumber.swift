/// The number of an object's record, unique in its application's archive for as long as it lives.
///
/// References between objects are stored as numbers. 0 is no record.
package struct RecordNumber: Hashable, Sendable {
    package let rawValue: UInt32

    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// No record.
    package static let none = RecordNumber(0)
}
