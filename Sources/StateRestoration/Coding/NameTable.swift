import ExactText

/// A table that assigns numbers to an application's names, such as keys, class tokens and storyboard names.
///
/// The archive stores each name once, with its number, and records contain only numbers. Names are never renumbered or
/// removed while the archive exists.
package final class NameTable {
    private var numbersByText: [ExactString: UInt32] = [:]
    private var textsByNumber: [UInt32: String] = [:]
    // The table is read for every value. Exclusivity checks are unnecessary, because no other code runs during an
    // access.
    @exclusivity(unchecked) private var keyNumbers = KeyNumbers()
    private var nextNumber: UInt32 = 1
    /// Names that have been added since ``consumeNewNames()`` was last called.
    private var newNames: [(number: UInt32, text: String)] = []

    /// Check for ``Restorable`` properties that a class does not list.
    let restorableCheck: RestorableCheck

    /// Creates a table for a new or an existing archive.
    ///
    /// - Parameter names: The names in an existing archive, keyed by number.
    package convenience init(_ names: [UInt32: String] = [:]) {
        self.init(names, restorableCheck: RestorableCheck())
    }

    /// Creates an empty table that shares the ``restorableCheck`` of another table.
    convenience init(sharingChecksWith other: NameTable) {
        self.init([:], restorableCheck: other.restorableCheck)
    }

    private init(_ names: [UInt32: String], restorableCheck: RestorableCheck) {
        self.restorableCheck = restorableCheck
        for (number, text) in names {
            textsByNumber[number] = text
            numbersByText[ExactString(text)] = number
            nextNumber = max(nextNumber, number &+ 1)
        }
    }

    /// Returns the number of a name, assigning one if the name is new.
    ///
    /// No name has the number 0.
    package func number(for text: String) -> UInt32 {
        let exactText = ExactString(text)
        if let number = numbersByText[exactText] { return number }
        let number = nextNumber
        nextNumber += 1
        numbersByText[exactText] = number
        textsByNumber[number] = text
        newNames.append((number, text))
        return number
    }

    /// Returns the number of a key, assigning one if the key is new.
    ///
    /// The lookup uses the address of the key's literal.
    package func number(for key: StaticString) -> UInt32 {
        guard key.hasPointerRepresentation else { return number(for: key.description) }
        if let number = keyNumbers.number(at: key.utf8Start) { return number }
        let number = number(for: key.description)
        keyNumbers.insert(number, at: key.utf8Start)
        return number
    }

    /// Returns the number of a key, or `nil` if the key has never been written.
    package func existingNumber(for key: StaticString) -> UInt32? {
        guard key.hasPointerRepresentation else {
            return numbersByText[ExactString(key.description)]
        }
        if let number = keyNumbers.number(at: key.utf8Start) { return number }
        guard let number = numbersByText[ExactString(key.description)] else { return nil }
        keyNumbers.insert(number, at: key.utf8Start)
        return number
    }

    /// Returns the name that has the given number, or `nil` if the number is not assigned.
    package func text(of number: UInt32) -> String? { textsByNumber[number] }

    /// Returns the names that have been added since the last call.
    package func consumeNewNames() -> [(number: UInt32, text: String)] {
        defer { newNames = [] }
        return newNames
    }
}

/// Hash table that maps the addresses of key literals to the keys' numbers.
///
/// A dedicated table is used because every encoded or decoded value requires a lookup.
struct KeyNumbers {
    private struct Slot {
        /// Address of the key, or 0 if the slot is free.
        var address: UInt = 0
        var number: UInt32 = 0
    }

    /// Slots of the table. The number of slots is a power of two, and at most half of the slots are used.
    private var slots = [Slot](repeating: Slot(), count: 64)
    private var usedSlotCount = 0

    /// Returns the number of a key, or `nil` if the table does not contain the key.
    func number(at address: UnsafePointer<UInt8>) -> UInt32? {
        let slot = slots[index(of: UInt(bitPattern: address))]
        return slot.address == 0 ? nil : slot.number
    }

    /// Adds the number of a key that the table does not contain.
    mutating func insert(_ number: UInt32, at address: UnsafePointer<UInt8>) {
        if usedSlotCount * 2 >= slots.count { grow() }
        let address = UInt(bitPattern: address)
        slots[index(of: address)] = Slot(address: address, number: number)
        usedSlotCount += 1
    }

    /// Returns the index of the slot that contains an address, or of the free slot in which to store it.
    private func index(of address: UInt) -> Int {
        let mask = UInt(slots.count - 1)
        var index = ((address &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while slots[Int(index)].address != address, slots[Int(index)].address != 0 {
            index = (index + 1) & mask
        }
        return Int(index)
    }

    private mutating func grow() {
        let oldSlots = slots
        slots = [Slot](repeating: Slot(), count: oldSlots.count * 2)
        for slot in oldSlots where slot.address != 0 { slots[index(of: slot.address)] = slot }
    }
}
