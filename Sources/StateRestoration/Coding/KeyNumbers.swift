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
