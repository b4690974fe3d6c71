/// A small number for each of many object numbers: an array, as long as most of them are in use;
/// what lies far beyond goes into a dictionary, so that a forged number takes no memory.
struct NumberTable: Sendable {
    private var dense: [Int64] = []
    private var sparse: [UInt32: Int64] = [:]
    /// How many numbers have a value.
    private(set) var count = 0

    private static let none: Int64 = -1

    /// The value of a number, not negative; nil if it has none.
    subscript(number: UInt32) -> Int64? {
        get {
            guard number < dense.count else { return sparse.isEmpty ? nil : sparse[number] }
            let value = dense[Int(number)]
            return value == Self.none ? nil : value
        }
        set {
            let before = self[number]
            if (before == nil) != (newValue == nil) { count += newValue == nil ? -1 : 1 }
            if number >= dense.count, newValue != nil { growIfUseful(for: number) }
            if number < dense.count {
                dense[Int(number)] = newValue ?? Self.none
            } else {
                sparse[number] = newValue
            }
        }
    }

    /// Makes the array longer if the number is not far beyond as many as there are.
    private mutating func growIfUseful(for number: UInt32) {
        guard Int(number) < 4 * (count + 256) else { return }
        let length = max(Int(number) + 1, 2 * dense.count, 64)
        dense += repeatElement(Self.none, count: length - dense.count)
        if sparse.isEmpty { return }
        for (number, value) in sparse where Int(number) < length {
            dense[Int(number)] = value
            sparse[number] = nil
        }
    }
}
