/// Dictionary from the numbers of objects or names to 32-bit values.
///
/// Most values are stored in an array. Entries for much higher numbers are stored separately, so that a forged number
/// cannot cause a large memory allocation.
struct NumberTable: Sendable {
    private var dense: [UInt32] = []
    /// First entry outside the array. Storing it requires no memory allocation.
    private var one: (number: UInt32, value: UInt32) = (0, none)
    /// The next few entries outside the array. They are searched linearly.
    private var few: [(number: UInt32, value: UInt32)] = []
    private var sparse: [UInt32: UInt32] = [:]
    /// Number of entries.
    private(set) var count = 0

    private static let none = UInt32.max
    private static let maximumFew = 8

    /// Value stored for a number, or `nil` if there is none. A value must be less than 2^32 - 1.
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

    /// Extends the array to include a number, unless the number is much higher than the count of entries.
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
