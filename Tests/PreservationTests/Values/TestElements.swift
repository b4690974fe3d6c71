/// Element with a word.
struct WordedElement: Codable, Identifiable {
    var id: Int
    var word = ""
}

/// Element with a number.
struct NumberedElement: Codable, Identifiable {
    var id: Int
    var number = 0
}

/// Element that cannot be decoded if its text is old.
struct StrictElement: Codable, Identifiable {
    var id: Int
    var word: String

    enum CodingKeys: CodingKey { case id, word }

    init(id: Int, word: String) {
        (self.id, self.word) = (id, word)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        word = try container.decode(String.self, forKey: .word)
        if word == "old" { throw OutdatedWord() }
    }
}

private struct OutdatedWord: Error {}
