/// Map from object numbers to small numbers.
///
/// Most values are stored in an array. Entries for much higher numbers are stored separately, so that a forged number
/// does not allocate much memory.
struct NumberTable: Sendable {
    private var dense: [UInt32] = []
    /// First entry outside the array, which is stored without an allocation.
    private var one: (number: UInt32, value: UInt32) = (0, none)
    /// Next few entries outside the array, which are searched linearly.
    private var few: [(number: UInt32, value: UInt32)] = []
    private var sparse: [UInt32: UInt32] = [:]
    /// Number of entries.
    private(set) var count = 0

    private static let none = UInt32.max
    private static let maximumFew = 8

    /// Value of a number, which is below 2^32 - 1, or `nil` if the number has no value.
    subscript(number: UInt32) -> UInt32? {
        get {
            if number < dense.count {
                let value = dense[Int(number)]
                return value == Self.none ? nil : value
            }
            if one.value != Self.none, one.number == number { return one.value }
            for entry in few where entry.number == number { return entry.value }
            return sparse.isEmpty ? nil : sparse[number]
        }
        set {
            let before = self[number]
            if (before == nil) != (newValue == nil) { count += newValue == nil ? -1 : 1 }
            if number >= dense.count, newValue != nil,
                !dense.isEmpty || few.count == Self.maximumFew
            {
                growIfUseful(for: number)
            }
            if number < dense.count {
                dense[Int(number)] = newValue ?? Self.none
            } else if one.value == Self.none && before == nil || one.number == number {
                one = (number, newValue ?? Self.none)
            } else if let place = few.firstIndex(where: { $0.number == number }) {
                if let newValue { few[place].value = newValue } else { few.remove(at: place) }
            } else if let newValue, few.count < Self.maximumFew, before == nil {
                few.append((number, newValue))
            } else {
                sparse[number] = newValue
            }
        }
    }

    /// Extends the array if the number is not much higher than the number of entries.
    private mutating func growIfUseful(for number: UInt32) {
        guard Int(number) < 4 * (count + 256) else { return }
        let length = max(Int(number) + 1, 2 * dense.count, 64)
        dense += repeatElement(Self.none, count: length - dense.count)
        if one.value != Self.none, one.number < length {
            dense[Int(one.number)] = one.value
            one.value = Self.none
        }
        for entry in few where Int(entry.number) < length {
            dense[Int(entry.number)] = entry.value
        }
        few.removeAll { Int($0.number) < length }
        if sparse.isEmpty { return }
        for (number, value) in sparse where Int(number) < length {
            dense[Int(number)] = value
            sparse[number] = nil
        }
    }
}
