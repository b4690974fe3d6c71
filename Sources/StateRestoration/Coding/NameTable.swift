import ExactText

/// The numbers of an application's names: keys, class tokens, storyboards.
///
/// A name is written once and numbered; records carry the numbers. Names are never renumbered and
/// never removed while the archive lives.
package final class NameTable {
    private var numbers: [ExactString: UInt32] = [:]
    private var texts: [UInt32: String] = [:]
    // Looked up for every value; nothing but this class runs while it is used.
    @exclusivity(unchecked) private var keys = KeyNumbers()
    private var next: UInt32 = 1
    private var new: [(number: UInt32, text: String)] = []

    /// Which classes list all their ``Restorable`` properties: their keys are names.
    let restorables: RestorableCheck

    /// - Parameter names: the names that an archive holds already, by number.
    package convenience init(_ names: [UInt32: String] = [:]) {
        self.init(names, restorables: RestorableCheck())
    }

    /// No names, beside a table that knows the classes.
    convenience init(beside other: NameTable) {
        self.init([:], restorables: other.restorables)
    }

    private init(_ names: [UInt32: String], restorables: RestorableCheck) {
        self.restorables = restorables
        for (number, text) in names {
            texts[number] = text
            numbers[ExactString(text)] = number
            next = max(next, number &+ 1)
        }
    }

    /// The number of a name, a new one if it had none. 0 is no name.
    package func number(for text: String) -> UInt32 {
        let key = ExactString(text)
        if let number = numbers[key] { return number }
        let number = next
        next += 1
        numbers[key] = number
        texts[number] = text
        new.append((number, text))
        return number
    }

    /// The number of a key that stands in source code, found by its address.
    package func number(for key: StaticString) -> UInt32 {
        guard key.hasPointerRepresentation else { return number(for: key.description) }
        if let number = keys.number(at: key.utf8Start) { return number }
        let number = number(for: key.description)
        keys.insert(number, at: key.utf8Start)
        return number
    }

    /// The number of a key if it was ever written.
    package func existingNumber(for key: StaticString) -> UInt32? {
        guard key.hasPointerRepresentation else { return numbers[ExactString(key.description)] }
        if let number = keys.number(at: key.utf8Start) { return number }
        guard let number = numbers[ExactString(key.description)] else { return nil }
        keys.insert(number, at: key.utf8Start)
        return number
    }

    /// The name of a number; nil if there is none.
    package func text(of number: UInt32) -> String? { texts[number] }

    /// The names that became numbered since this was last asked.
    package func takeNewNames() -> [(number: UInt32, text: String)] {
        defer { new = [] }
        return new
    }
}

/// The numbers of keys that stand in source code, found by their address.
///
/// A table of its own, because each value that is encoded or decoded looks a key up.
struct KeyNumbers {
    private struct Slot {
        /// 0: the slot is free.
        var address: UInt = 0
        var number: UInt32 = 0
    }

    /// A power of two, at most half of them taken.
    private var slots = [Slot](repeating: Slot(), count: 64)
    private var count = 0

    /// The number of a key; nil if it has none here.
    func number(at address: UnsafePointer<UInt8>) -> UInt32? {
        let slot = slots[index(of: UInt(bitPattern: address))]
        return slot.address == 0 ? nil : slot.number
    }

    /// Keeps the number of a key that has none here.
    mutating func insert(_ number: UInt32, at address: UnsafePointer<UInt8>) {
        if count * 2 >= slots.count { grow() }
        let address = UInt(bitPattern: address)
        slots[index(of: address)] = Slot(address: address, number: number)
        count += 1
    }

    /// The slot of an address, or the free one where it belongs.
    private func index(of address: UInt) -> Int {
        let mask = UInt(slots.count - 1)
        var index = ((address &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while slots[Int(index)].address != address, slots[Int(index)].address != 0 {
            index = (index + 1) & mask
        }
        return Int(index)
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: old.count * 2)
        for slot in old where slot.address != 0 { slots[index(of: slot.address)] = slot }
    }
}
