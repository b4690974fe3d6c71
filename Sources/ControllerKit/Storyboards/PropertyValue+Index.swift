extension PropertyValue {
    /// A place in a list.
    func index() throws(PropertyError) -> Int {
        let index = try integer()
        guard index >= 0 else { throw .invalidValue("a whole number from 0 is wanted") }
        return index
    }
}
