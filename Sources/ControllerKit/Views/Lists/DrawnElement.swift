/// A list element, with the marks and signs that are drawn beside its text.
struct DrawnElement {
    /// The element's text, from the data source.
    var element: ListElement
    /// Whether the element is selected.
    var isSelected: Bool
    /// The mark that is drawn before the text and shows whether the element is selected.
    ///
    /// The mark has the same width for every element in a list.
    var selectionMark: String
    /// The sign that is drawn before the mark and shows whether the user can delete the element, or an empty string
    /// outside edit mode.
    var deleteSign: String
    /// The sign that is drawn after the text and shows whether the user can move the element, or an empty string
    /// outside edit mode.
    var moveSign: String
}
