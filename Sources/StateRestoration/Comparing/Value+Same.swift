extension Value {
    /// Whether both are the same value. Unlike in `==` a number that is none is the same as itself.
    func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.double(let value), .double(let other)), (.date(let value), .date(let other)):
            value == other || value.bitPattern == other.bitPattern
        case (.array(let values), .array(let others)):
            values.count == others.count
                && zip(values, others).allSatisfy { $0.isSame(as: $1) }
        case (.dictionary(let values), .dictionary(let others)):
            values.count == others.count
                && values.allSatisfy { key, value in
                    others[key].map { value.isSame(as: $0) } ?? false
                }
        default: self == other
        }
    }
}
