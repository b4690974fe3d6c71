/// Dictionary that maps the numbers of objects or names to 32-bit values.
///
/// Most values are stored in an array. Entries for much higher numbers are stored separately, so that a forged number
/// cannot cause a large memory allocation.
struct NumberTable: Sendable {
    private var denseValues: [UInt32] = []
    /// First entry outside the array. Storing it requires no memory allocation.
    private var firstOutlier: (number: UInt32, value: UInt32) = (0, noValue)
    /// The next few entries outside the array. They are searched linearly.
    private var outliers: [(number: UInt32, value: UInt32)] = []
    private var sparseValues: [UInt32: UInt32] = [:]
    /// Number of entries.
    private(set) var count = 0

    private static let noValue = UInt32.max
    private static let maximumOutliers = 8

    /// Value stored for a number, or `nil` if there is none. A value must be less than 2^32 - 1.
    subscript(number: UInt32) -> UInt32? {
        get {
            if number < denseValues.count {
                let value = denseValues[Int(number)]
                return value == Self.noValue ? nil : value
            }
            if firstOutlier.value != Self.noValue, firstOutlier.number == number {
                return firstOutlier.value
            }
            for entry in outliers where entry.number == number { return entry.value }
            return sparseValues.isEmpty ? nil : sparseValues[number]
        }
        set {
            let previousValue = self[number]
            if (previousValue == nil) != (newValue == nil) { count += newValue == nil ? -1 : 1 }
            if number >= denseValues.count, newValue != nil,
                !denseValues.isEmpty || outliers.count == Self.maximumOutliers
            {
                growIfUseful(for: number)
            }
            if number < denseValues.count {
                denseValues[Int(number)] = newValue ?? Self.noValue
            } else if firstOutlier.value == Self.noValue && previousValue == nil
                || firstOutlier.number == number
            {
                firstOutlier = (number, newValue ?? Self.noValue)
            } else if let index = outliers.firstIndex(where: { $0.number == number }) {
                if let newValue {
                    outliers[index].value = newValue
                } else {
                    outliers.remove(at: index)
                }
            } else if let newValue, outliers.count < Self.maximumOutliers, previousValue == nil {
                outliers.append((number, newValue))
            } else {
                sparseValues[number] = newValue
            }
        }
    }

    /// Extends the array to include a number, unless the number is much higher than the number of entries.
    private mutating func growIfUseful(for number: UInt32) {
        guard Int(number) < 4 * (count + 256) else { return }
        let length = max(Int(number) + 1, 2 * denseValues.count, 64)
        denseValues += repeatElement(Self.noValue, count: length - denseValues.count)
        if firstOutlier.value != Self.noValue, firstOutlier.number < length {
            denseValues[Int(firstOutlier.number)] = firstOutlier.value
            firstOutlier.value = Self.noValue
        }
        for entry in outliers where Int(entry.number) < length {
            denseValues[Int(entry.number)] = entry.value
        }
        outliers.removeAll { Int($0.number) < length }
        if sparseValues.isEmpty { return }
        for (number, value) in sparseValues where Int(number) < length {
            denseValues[Int(number)] = value
            sparseValues[number] = nil
        }
    }
}
