import FoundationEssentials

/// Something that somebody owns.
struct Possession: Codable, Identifiable {
    /// Tells the possession from every other, for ever.
    let id: UUID
    var name = ""
    var serialNumber = ""
    /// In the currency's smallest unit of use.
    var value = 0

    init() {
        id = UUID()
    }
}
