/// A value of an object that is so large that the archive keeps it by itself: it is written again
/// only when it has changed, and not with every change of the object's other values.
package struct OutOfLineValue: Sendable, Equatable {
    /// The most bytes that a key and its value take in the object's own record.
    package static let largestInRecord = 4096

    /// The key, by the number of its name.
    package var key: UInt32
    /// Where the key and the value stand in ``PassOutput/values``.
    package var range: Range<Int>

    package init(key: UInt32, range: Range<Int>) {
        self.key = key
        self.range = range
    }
}

extension PassOutput {
    /// The values of a record as an archive keeps them: copied if some are kept out of line.
    package func savedValues(of record: PassRecord) -> SavedValues {
        SavedValues(values[record.values], outOfLine: record.outOfLine)
    }
}

extension SavedValues {
    /// Takes the values of one object to pieces, if there are large ones.
    ///
    /// - Parameters:
    ///   - bytes: all of them.
    ///   - outOfLine: where the large ones stand, in their order.
    init(_ bytes: ArraySlice<UInt8>, outOfLine: [OutOfLineValue]) {
        guard !outOfLine.isEmpty else {
            self.init(bytes)
            return
        }
        var small: [UInt8] = []
        var start = bytes.startIndex
        for value in outOfLine {
            small += bytes[start..<value.range.lowerBound]
            start = value.range.upperBound
        }
        small += bytes[start...]
        self.init(small[...], outOfLine: outOfLine.map { bytes[$0.range] })
    }
}
