import { graphql } from "relay-runtime";

export const books = graphql`
  query BooksQuery($count: Int!) {
    book_connection(first: $count, order_by: { id: asc }) {
      edges { node { id title } }
    }
  }
`;
