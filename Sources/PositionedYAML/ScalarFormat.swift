/// How a single value is written in a file and what it means.
///
/// A format reads every scalar: it answers with the value or with what to write instead.
package struct ScalarFormat<Value: Sendable>: Sendable {
    /// What to write, as the end of "write …", with an example where that helps.
    package let expectation: String
    /// How a value is written, for messages about ranges.
    package let show: @Sendable (Value) -> String
    /// Understands a scalar that is not null.
    package let read: @Sendable (PositionedScalar) throws(ScalarRefusal) -> Value

    /// Makes a format.
    package init(
        _ expectation: String, show: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (PositionedScalar) throws(ScalarRefusal) -> Value
    ) {
        self.expectation = expectation
        self.show = show
        self.read = read
    }

    /// The same format with a further condition.
    ///
    /// - Parameter problem: Says what to do when a value is not allowed, as the rest of a sentence
    ///   after "…: ", without a full stop; nil when it is allowed.
    package func refusing(
        _ problem: @escaping @Sendable (Value) -> String?
    ) -> ScalarFormat {
        let read = read
        return ScalarFormat(expectation, show: show) { scalar throws(ScalarRefusal) in
            let value = try read(scalar)
            if let problem = problem(value) { throw ScalarRefusal(problem) }
            return value
        }
    }
}

extension ScalarFormat where Value: Comparable {
    /// The same format within bounds, both included.
    package func within(_ range: ClosedRange<Value>) -> ScalarFormat {
        let show = show
        let (low, high) = (range.lowerBound, range.upperBound)
        return refusing { value in
            range.contains(value) ? nil : "write a value from \(show(low)) to \(show(high))"
        }
    }
}

/// Why a scalar was not taken: what to write instead.
package struct ScalarRefusal: Error, Sendable, Hashable {
    /// The rest of a sentence that begins with what was found, without a full stop.
    package let remedy: String

    /// Makes a refusal.
    package init(_ remedy: String) { self.remedy = remedy }
}
